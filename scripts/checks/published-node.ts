import path from "node:path"
import { execa } from "execa"

/** Installs a release of Node and of npm from the npm registry below `folder`. Returns the paths of `node` and of npm's program. */
export const installNode = async (
  folder: string,
  versions: { readonly node: string; readonly npm?: string },
): Promise<{ readonly node: string; readonly npm: string }> => {
  const packages = [`node@${versions.node}`, ...(versions.npm === undefined ? [] : [`npm@${versions.npm}`])]
  await execa("npm", ["install", "--prefix", folder, "--prefer-offline", "--no-audit", "--no-fund", ...packages], {
    stdout: 2,
    stderr: 2,
    stdin: "ignore",
  })
  return {
    node: path.join(folder, "node_modules/node/bin/node"),
    npm: path.join(folder, "node_modules/npm/bin/npm-cli.js"),
  }
}
