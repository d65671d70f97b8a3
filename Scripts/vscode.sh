#!/usr/bin/env bash
# Packs Editors/vscode as an extension that `code --install-extension` takes: a zip file with a manifest. It needs no npm.
#   vscode.sh OUTPUT.vsix
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:?usage: vscode.sh OUTPUT.vsix}
case $output in /*) ;; *) output=$PWD/$output ;; esac

setting() { sed -n 's/^  "'"$1"'": "\(.*\)",$/\1/p' Editors/vscode/package.json; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/extension"
cp -R Editors/vscode/. "$folder/extension"
cp LICENSE "$folder/extension/LICENSE.txt"
cp Documentation/in-your-editor.md "$folder/extension/README.md"

cat >"$folder/extension.vsixmanifest" <<END
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="$(setting name)" Version="$(setting version)" Publisher="$(setting publisher)"/>
    <DisplayName>$(setting displayName)</DisplayName>
    <Description xml:space="preserve">$(setting description)</Description>
    <Categories>Programming Languages,Linters,Formatters</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="^1.75.0"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
END
cat >"$folder/[Content_Types].xml" <<'END'
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".md" ContentType="text/markdown"/>
  <Default Extension=".txt" ContentType="text/plain"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
END
rm -f "$output"
mkdir -p "$(dirname "$output")"
(cd "$folder" && find . -type f | LC_ALL=C sort | sed 's|^\./||' | zip -q -X "$output" -@)
echo "$output"
