# A formula for Homebrew, in a tap: brew install --HEAD OWNER/TAP/dflatc, since there is no release to install without --HEAD.
class Dflatc < Formula
  desc "Compile, check, lint, format and convert FlatBuffers schemas"
  homepage "https://example.com/dflat" # The address of the release.
  head "https://example.com/dflat.git", branch: "main"
  license "Apache-2.0"

  depends_on xcode: ["16.0", :build]
  uses_from_macos "sqlite"

  def install
    # Homebrew builds in a sandbox, in which SwiftPM cannot make one of its own.
    system "make", "install", "PREFIX=#{prefix}", "SWIFT_BUILD_OPTIONS=--disable-sandbox"
  end

  test do
    (testpath/"post.fbs").write "table Post { id: string (primary); }\nroot_type Post;\n"
    system bin/"dflatc", "lint", "post.fbs"
    system bin/"dflatc", "compile", "-o", "out", "post.fbs"
    assert_predicate testpath/"out/post_generated.swift", :exist?
  end
end
