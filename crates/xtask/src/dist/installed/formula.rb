# Runs a formula as `brew install` and `brew test` would, without Homebrew: the formula, the unpacked archive, its checksum, the prefix.
require "fileutils"
require "pathname"

FORMULA, UNPACKED, SUM, PREFIX = ARGV

class InstallFolder < Pathname
  def install(*sources)
    FileUtils.mkdir_p(to_s)
    sources.flatten.each do |source|
      pairs = source.is_a?(Hash) ? source : { source => File.basename(source) }
      pairs.each { |from, to| FileUtils.cp(from, join(to).to_s) }
    end
  end
end

class Formula
  class << self
    attr_reader :address, :sum

    # The limits of `brew style`.
    def desc(text)
      abort "the description has #{text.length} characters, and more than 80 are refused" if text.length > 80
      abort "the description ends with a full stop or begins with an article" if text.match?(/\.\z|\A(A|An|The) /)
    end

    def homepage(address)
      abort "#{address} is not an address" unless address.start_with?("https://")
    end

    def license(_) = nil
    def on_linux = (yield if RUBY_PLATFORM.include?("linux"))
    def on_macos = (yield if RUBY_PLATFORM.include?("darwin"))
    def on_intel = (yield if RUBY_PLATFORM.match?(/x86_64|x64/))
    def on_arm = (yield if RUBY_PLATFORM.match?(/aarch64|arm64/))
    def url(address) = @address = address
    def sha256(sum) = @sum = sum
    def test(&block) = define_method(:test, &block)
    # Homebrew reads the version from the address.
    def version = address[%r{/v([0-9.]+)/}, 1]
  end

  { bin: "bin", man1: "share/man/man1", bash_completion: "etc/bash_completion.d",
    zsh_completion: "share/zsh/site-functions", fish_completion: "share/fish/vendor_completions.d" }.each do |name, folder|
    define_method(name) { InstallFolder.new(File.join(PREFIX, folder)) }
  end

  def version = self.class.version
  def shell_output(command) = `#{command}`
  def assert_match(wanted, text) = (abort "`#{text.chomp}` has no `#{wanted}`" unless text.include?(wanted))
end

load FORMULA
abort "the formula expects the checksum #{Hookrail.sum}, the archive has #{SUM}" unless Hookrail.sum == SUM
formula = Hookrail.new
Dir.chdir(UNPACKED) { formula.install }
formula.test
