#!/bin/sh
# Installs hookrail @VERSION@ for this user.
#   curl -fsSL @DOWNLOADS@/hookrail-installer.sh | sh
# HOOKRAIL_INSTALL_DIR   where the program goes; otherwise ~/.local/bin
# HOOKRAIL_DOWNLOAD_URL  where archives are fetched from
set -eu

version=@VERSION@
targets="@TARGETS@"
downloads=${HOOKRAIL_DOWNLOAD_URL:-@DOWNLOADS@}

fail() {
  printf 'error: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
  exit 1
}

# fetch ADDRESS FILE
fetch() {
  if command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location "$1" --output "$2"
  elif command -v wget >/dev/null 2>&1; then
    wget --quiet --output-document "$2" "$1"
  else
    fail "neither curl nor wget is installed" "install one of them and run this again"
  fi || fail "cannot download $1" "check the network, or set HOOKRAIL_DOWNLOAD_URL to a mirror"
}

checksum() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1"
  else
    fail "neither sha256sum nor shasum is installed, so the download cannot be verified"
  fi | cut -d ' ' -f 1
}

# Everything in a function, so that a download that breaks off runs nothing.
main() {
  case "$(uname -s)" in
    Linux) system=unknown-linux-gnu ;;
    Darwin) system=apple-darwin ;;
    *) fail "there is no hookrail for $(uname -s)" "on Windows use hookrail-installer.ps1" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) processor=x86_64 ;;
    aarch64 | arm64) processor=aarch64 ;;
    *) fail "there is no hookrail for the processor $(uname -m)" "build it from source with cargo" ;;
  esac
  target=$processor-$system
  case " $targets " in
    *" $target "*) ;;
    *) fail "there is no hookrail for $target" "build it from source with cargo" ;;
  esac

  [ -n "${HOME:-}" ] || [ -n "${HOOKRAIL_INSTALL_DIR:-}" ] || fail "HOME is not set" "set HOOKRAIL_INSTALL_DIR"
  folder=${HOOKRAIL_INSTALL_DIR:-$HOME/.local/bin}
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  archive=hookrail-$target.tar.gz
  fetch "$downloads/$archive" "$scratch/$archive"
  fetch "$downloads/$archive.sha256" "$scratch/$archive.sha256"
  wanted=$(cut -d ' ' -f 1 "$scratch/$archive.sha256")
  found=$(checksum "$scratch/$archive")
  [ "$wanted" = "$found" ] || fail "the checksum of $archive is $found, not $wanted" "nothing was installed; try again"
  tar -xzf "$scratch/$archive" -C "$scratch"

  mkdir -p "$folder"
  for program in hookrail-hook hookrail; do
    # A running program cannot be overwritten, but its name can be given to another file.
    cp "$scratch/hookrail-$target/$program" "$folder/.$program.new"
    chmod 755 "$folder/.$program.new"
    mv -f "$folder/.$program.new" "$folder/$program"
  done
  # `hookrail self version` tells from this who installed it.
  data=${XDG_DATA_HOME:-${HOME:-$folder}/.local/share}/hookrail
  mkdir -p "$data" && printf '%s\n' "$folder/hookrail" >"$data/installer"

  printf 'installed hookrail %s as %s/hookrail\n' "$version" "$folder"
  case ":${PATH:-}:" in
    *":$folder:"*) ;;
    *) printf 'note: %s is not on the PATH; add it to the profile of your shell: export PATH="%s:$PATH"\n' "$folder" "$folder" ;;
  esac
  printf 'next: hookrail demo\n'
}

main
