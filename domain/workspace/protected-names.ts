/** Instructions and settings of coding agents, by their names in any directory. */
const agents = [
  ...[".mcp.json", ".claude", ".agents", ".cursor", ".codex", ".gemini", ".qwen", ".continue", ".windsurf", ".kiro"],
  ...[".amazonq", ".junie", ".augment", ".trae", ".qodo", ".opencode", ".openhands", ".factory", ".roo", ".cline"],
  ...[".amp", ".iflow"],
  ...["claude.md", "claude.local.md", "gemini.md", "qwen.md", "agent.md", "agents.override.md", "crush.md", "warp.md"],
  ...[".cursorrules", ".clinerules", ".windsurfrules", ".roorules", ".roomodes", ".goosehints", ".rules"],
  ...[".augment-guidelines", ".openhands_instructions", ".aider.conf.yml", ".aider.model.settings.yml"],
  ...[".continuerc.json", "opencode.json", "opencode.jsonc", "crush.json", ".crush.json"],
]

/** Settings of editors and of workspaces that start by themselves. */
const editors = [
  ...[".vscode", ".idea", ".zed", ".fleet", ".vs", ".nova", ".helix", ".theia", ".project", ".externaltoolbuilders"],
  ...[".devcontainer", ".devcontainer.json", ".gitpod.yml", ".replit", ".idx", ".codesandbox", ".stackblitzrc"],
  ...[".exrc", ".vimrc", "_vimrc", ".gvimrc", ".lvimrc", ".vim", ".nvimrc", ".nvim.lua", ".nanorc"],
  ...[".dir-locals.el", ".dir-locals-2.el", ".emacs", ".emacs.d"],
]

const shells = [
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".bash_completion", ".profile"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout"],
  ...[".inputrc", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment"],
]

/** Files that a tool reads when it starts in a directory, or in a home. */
const tools = [
  ...[".envrc", ".direnv", "mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml", ".mise", ".rtx.toml"],
  ...[".autoenv", ".autoenv.zsh", ".gdbinit", ".gdbearlyinit", ".lldbinit", ".pdbrc", ".pythonrc", ".pythonstartup"],
  ...[".irbrc", ".pryrc", ".rdbrc", ".rprofile", ".renviron", ".rdata", ".octaverc", ".ghci", ".ocamlinit", ".perldb"],
  ...[".iex.exs", ".erlang", ".byebugrc", ".rdbgrc", ".shadowenv.d", ".tool-versions"],
  ...[".sbclrc", ".guile", ".psqlrc", ".sqliterc", ".my.cnf", ".screenrc", ".tmux.conf", ".curlrc", ".wgetrc"],
  ...[".netrc", ".ssh", ".gnupg", ".aws", ".kube", ".docker", ".ipython", ".jupyter"],
]

const lefthook = ["lefthook", ".lefthook", "lefthook-local", ".lefthook-local"].flatMap((name) =>
  ["yml", "yaml", "toml", "json"].map((extension) => `${name}.${extension}`),
)

/** Version control, and what hook managers run with it. */
const versionControl = [
  ...[".gitconfig", ".hgrc", ".husky", ".huskyrc", ".githooks", ".git-hooks", ".lefthook", ".lefthook-local"],
  ...[".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "prek.toml", ".overcommit.yml", "captainhook.json"],
  ...lefthook,
]

/** Files whose names begin so, whatever their format. */
export const protectedPrefixes = [
  ...[".huskyrc.", ".simple-git-hooks.", "simple-git-hooks."],
  ...[".lintstagedrc", "lint-staged.config.", ".commitlintrc", "commitlint.config."],
] as const

/** Files whose names end so: they open as a workspace with settings and tasks. */
export const protectedSuffixes = [".code-workspace", ".sublime-project"] as const

/** Names that are protected in any directory, folded. */
export const protectedByName = [...agents, ...editors, ...shells, ...tools, ...versionControl]

const below = (path: string, names: readonly string[]): readonly (readonly string[])[] =>
  names.map((name) => [...path.split("/"), name])

/** Names that are protected only at the end of a path, by the segments of the path, folded. */
export const protectedByPath: readonly (readonly string[])[] = [
  ...below(".config", ["autostart", "environment.d", "systemd", "fish", "nushell", "git", "hg", "jj", "gh", "direnv"]),
  ...below(".config", ["mise", "mise.toml", "nvim", "vim", "helix", "zed", "code", "tmux", "kitty", "wezterm"]),
  ...below(".config", ["alacritty", "opencode", "crush", "goose", "github-copilot", "plasma-workspace"]),
  ...below(".github", ["copilot-instructions.md", "instructions", "prompts", "agents", "chatmodes", "hooks", "skills"]),
  ...below("mise", ["config.toml"]),
  ...below(".cargo", ["config", "config.toml"]),
  ...below(".local", ["bin"]),
  ...below(".local/share", ["applications", "systemd"]),
  ...below("library", ["launchagents"]),
  ...below(".hg", ["hgrc", "hgrc-not-shared"]),
  ...below(".jj/repo", ["config.toml"]),
  ...below(".jj", ["workspace-config.toml"]),
  ...below("_darcs/prefs", ["defaults"]),
  ...below(".pijul", ["config"]),
  ...below(".sl", ["config"]),
  ...below(".bzr/branch", ["branch.conf"]),
]

/** The longest of these paths. */
export const maxProtectedSegments = 3
