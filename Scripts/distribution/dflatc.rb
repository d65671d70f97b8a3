# A formula for Homebrew, of a tap: brew install --build-from-source ./Scripts/distribution/dflatc.rb
class Dflatc < Formula
  desc "Compile, check, lint, format and convert FlatBuffers schemas"
  homepage "https://example.com/dflat" # The address of the release.
  head "https://example.com/dflat.git", branch: "main"
  license "Apache-2.0"

  depends_on xcode: ["16.0", :build]
  uses_from_macos "sqlite"

  def install
    system "make", "install", "PREFIX=#{prefix}"
  end

  test do
    (testpath/"post.fbs").write "table Post { id: string (primary); }\nroot_type Post;\n"
    system bin/"dflatc", "lint", "post.fbs"
    system bin/"dflatc", "compile", "-o", "out", "post.fbs"
    assert_predicate testpath/"out/post_generated.swift", :exist?
  end
end
