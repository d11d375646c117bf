//! A Homebrew formula that installs the archives, for a tap.

use super::{ABOUT, Package, REPOSITORY, archive, downloads};
use crate::dist::targets::Target;

/// Of the archives that were made; the formula of a release speaks of all.
pub fn make(archives: &[(&'static Target, String)]) -> Package {
    let system = |name: &str| {
        let blocks: String = archives.iter().filter_map(|(target, sum)| block(target, sum, name)).collect();
        if blocks.is_empty() { String::new() } else { format!("  on_{name} do\n{blocks}  end\n\n") }
    };
    let text = format!(
        r##"class Hookrail < Formula
  desc "{ABOUT}"
  homepage "{REPOSITORY}"
  license any_of: ["MIT", "Apache-2.0"]

{}{}  def install
    bin.install "hookrail", "hookrail-hook"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/hookrail.bash" => "hookrail"
    zsh_completion.install "completions/_hookrail"
    fish_completion.install "completions/hookrail.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/hookrail --version")
  end
end
"##,
        system("macos"),
        system("linux")
    );
    Package::new("hookrail.rb", text)
}

fn block(target: &Target, sum: &str, system: &str) -> Option<String> {
    let (its_system, processor) = target.homebrew?;
    let address = format!("{}/{}", downloads(), archive::name(target));
    let block = format!("    on_{processor} do\n      url \"{address}\"\n      sha256 \"{sum}\"\n    end\n");
    (its_system == system).then_some(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::targets::TARGETS;

    #[test]
    fn the_formula_of_a_release_has_every_archive_once_in_its_block() {
        let archives: Vec<_> = TARGETS.iter().map(|target| (target, format!("sum-of-{}", target.triple))).collect();
        let formula = String::from_utf8(make(&archives).bytes).unwrap();
        for target in TARGETS.iter().filter(|target| target.homebrew.is_some()) {
            let (system, processor) = target.homebrew.unwrap();
            let block = formula.split(&format!("on_{system} do")).nth(1).unwrap();
            let block = block.split(&format!("on_{processor} do")).nth(1).unwrap().split("end").next().unwrap();
            assert!(block.contains(&archive::name(target)), "{formula}");
            assert!(block.contains(&format!("sum-of-{}\"", target.triple)), "{formula}");
        }
        assert!(!formula.contains("windows"), "{formula}");
    }
}
