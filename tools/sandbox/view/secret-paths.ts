import { isInside } from "../../../domain/workspace/is-inside.ts"

/** Folders and files of a home directory with keys, passwords and the data of browsers. Nothing makes them visible. */
const secretsOfHome = [
  ...[
    ".ssh",
    ".aws",
    ".gnupg",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    ".gsutil",
    ".terraform.d",
    ".vault-token",
  ],
  ...[".config/gh", ".config/hub", ".config/glab-cli", ".config/gcloud", ".config/op", ".config/doctl", ".config/sops"],
  ...[".config/containers", ".config/configstore", ".config/heroku", ".config/rclone", ".config/git/credentials"],
  ...[".netrc", ".git-credentials", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".boto", ".s3cfg"],
  ...[
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
  ],
  ...[".config/pip", ".pip", ".composer/auth.json", ".config/composer/auth.json", ".nuget/NuGet", ".bundle/config"],
  ...[
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/containers",
    "Library/Keychains",
    "Library/Cookies",
  ],
  ...[
    ".mozilla",
    ".thunderbird",
    ".config/chromium",
    ".config/google-chrome",
    ".config/BraveSoftware",
    ".config/vivaldi",
  ],
  ...[".config/microsoft-edge", ".config/opera", ".var/app", "snap", "Library/Application Support"],
  ...[".claude", ".claude.json", ".codex", ".gemini", ".config/claude", ".config/github-copilot", ".config/opencode"],
  ...[".colima", ".lima", ".orbstack", ".rd", ".minikube", ".1password", ".bash_history", ".zsh_history"],
] as const

/** Names of files with private keys. */
const keyFile = /^(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.*\.(?:p12|pfx|ppk|kdbx|jks|keystore))$/i

export const isKeyFile = (name: string): boolean => keyFile.test(name)

/** Trees that no setting shows: the kernel's, and those with the sockets of agents and engines. */
const closedTrees = ["/proc", "/sys", "/dev", "/run", "/var/run"]

/** Directories that contain those of users, and are too much to show. */
const tooMuch = ["/", "/home", "/root", "/Users", "/tmp", "/var", "/mnt", "/media", "/srv"]

export interface HomeAndOwn {
  /** Real path of the home directory. */
  readonly home: string
  /** Real paths of Adjutant's own folders, and of the sockets that the environment names. */
  readonly own: readonly string[]
}

/** Returns the paths that stay hidden whatever the settings say. */
export const hiddenPaths = ({ home, own }: HomeAndOwn): readonly string[] => [
  ...secretsOfHome.map((name) => `${home}/${name}`),
  ...own,
  ...closedTrees,
]

/** Returns why a path cannot be shown; undefined if it can. What is hidden inside of it is hidden all the same. */
export const hiddenBecause = (path: string, place: HomeAndOwn): string | undefined => {
  if (tooMuch.includes(path) && path !== place.home) return "it contains too much"
  const hidden = hiddenPaths(place).find((each) => isInside(each, path))
  return hidden === undefined ? undefined : `${hidden} stays hidden`
}
