/** Where a version manager keeps toolchains in a home directory. */
export interface VersionManager {
  readonly name: string
  /** The variable that names its folder, if it has one. Commands get it, because they have another home directory. */
  readonly variable?: string
  /** Its usual folders below the home directory. */
  readonly folders: readonly string[]
  /** The parts of a folder that contain toolchains and what finds them; never what contains credentials. Absent: the whole folder. */
  readonly parts?: readonly string[]
}

const shims = ["bin", "libexec", "shims", "versions", "version", "plugins", "completions"]

/** The usual version managers. What PATH names is found without them. */
export const versionManagers: readonly VersionManager[] = [
  {
    name: "rustup",
    variable: "RUSTUP_HOME",
    folders: [".rustup"],
    parts: ["toolchains", "settings.toml", "update-hashes"],
  },
  // Without the variable: commands have a CARGO_HOME of their own, for what cargo downloads.
  { name: "cargo", folders: [".cargo"], parts: ["bin"] },
  {
    ...{ name: "nvm", variable: "NVM_DIR", folders: [".nvm", ".config/nvm"] },
    parts: ["versions", "alias", "nvm.sh", "nvm-exec", "bash_completion"],
  },
  {
    ...{ name: "fnm", variable: "FNM_DIR", folders: [".local/share/fnm", ".fnm"] },
    parts: ["node-versions", "aliases", "fnm"],
  },
  { name: "volta", variable: "VOLTA_HOME", folders: [".volta"], parts: ["bin", "tools", "layout.v4"] },
  { name: "pyenv", variable: "PYENV_ROOT", folders: [".pyenv"], parts: [...shims, "pyenv.d"] },
  { name: "uv", folders: [".local/share/uv"], parts: ["python", "tools"] },
  {
    name: "conda",
    folders: ["miniconda3", "anaconda3", "miniforge3", "mambaforge", ".miniconda3", "micromamba", ".conda/envs"],
  },
  { name: "mise", variable: "MISE_DATA_DIR", folders: [".local/share/mise"], parts: ["installs", "shims", "plugins"] },
  {
    ...{ name: "asdf", variable: "ASDF_DATA_DIR", folders: [".asdf"] },
    parts: ["bin", "lib", "libexec", "shims", "installs", "plugins", "asdf.sh"],
  },
  { name: "sdkman", variable: "SDKMAN_DIR", folders: [".sdkman"], parts: ["bin", "src", "candidates", "libexec"] },
  { name: "rbenv", variable: "RBENV_ROOT", folders: [".rbenv"], parts: [...shims, "rbenv.d"] },
  { name: "go", folders: ["go"], parts: ["bin"] },
  { name: "go", folders: ["sdk", ".go"] },
  { name: "deno", folders: [".deno"], parts: ["bin"] },
  { name: "bun", folders: [".bun"], parts: ["bin", "install/global"] },
]
