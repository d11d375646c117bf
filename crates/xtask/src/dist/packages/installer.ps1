# Installs hookrail @VERSION@ for this user.
#   irm @DOWNLOADS@/hookrail-installer.ps1 | iex
# HOOKRAIL_INSTALL_DIR   where the program goes; otherwise %LOCALAPPDATA%\hookrail\bin
# HOOKRAIL_DOWNLOAD_URL  where archives are fetched from
$ErrorActionPreference = 'Stop'

function Install-Hookrail {
    $version = '@VERSION@'
    $targets = '@TARGETS@' -split ' '
    $downloads = if ($env:HOOKRAIL_DOWNLOAD_URL) { $env:HOOKRAIL_DOWNLOAD_URL } else { '@DOWNLOADS@' }

    $processor = switch ($env:PROCESSOR_ARCHITECTURE) {
        'AMD64' { 'x86_64' }
        # Windows on ARM runs programs for x86-64.
        'ARM64' { 'x86_64' }
        default { throw "there is no hookrail for the processor $env:PROCESSOR_ARCHITECTURE; build it from source with cargo" }
    }
    $target = "$processor-pc-windows-msvc"
    if ($targets -notcontains $target) { throw "there is no hookrail for $target; build it from source with cargo" }

    $folder = if ($env:HOOKRAIL_INSTALL_DIR) { $env:HOOKRAIL_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'hookrail\bin' }
    $scratch = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
    New-Item -ItemType Directory -Path $scratch | Out-Null
    try {
        $archive = "hookrail-$target.zip"
        $file = Join-Path $scratch $archive
        # The progress bar of older versions takes longer than the download.
        $ProgressPreference = 'SilentlyContinue'
        Invoke-WebRequest -UseBasicParsing -Uri "$downloads/$archive" -OutFile $file
        Invoke-WebRequest -UseBasicParsing -Uri "$downloads/$archive.sha256" -OutFile "$file.sha256"
        $wanted = ((Get-Content -Raw "$file.sha256") -split ' ')[0]
        $found = (Get-FileHash -Algorithm SHA256 $file).Hash.ToLowerInvariant()
        if ($wanted -ne $found) { throw "the checksum of $archive is $found, not $wanted; nothing was installed" }
        Expand-Archive -Path $file -DestinationPath $scratch
        New-Item -ItemType Directory -Force -Path $folder | Out-Null
        foreach ($program in 'hookrail-hook.exe', 'hookrail.exe') {
            Copy-Item -Force (Join-Path $scratch "hookrail-$target\$program") (Join-Path $folder $program)
        }
    } finally {
        Remove-Item -Recurse -Force $scratch
    }
    # `hookrail self version` tells from this who installed it.
    $data = Join-Path $env:LOCALAPPDATA 'hookrail'
    New-Item -ItemType Directory -Force -Path $data | Out-Null
    Set-Content -Path (Join-Path $data 'installer') -Value (Join-Path $folder 'hookrail.exe')

    Write-Output "installed hookrail $version as $(Join-Path $folder 'hookrail.exe')"
    $path = [Environment]::GetEnvironmentVariable('Path', 'User')
    if (($path -split ';') -notcontains $folder) {
        [Environment]::SetEnvironmentVariable('Path', "$folder;$path", 'User')
        Write-Output "note: $folder was added to your PATH; open a new terminal"
    }
    Write-Output 'next: hookrail demo'
}

Install-Hookrail
