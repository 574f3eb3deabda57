import { AsyncLocalStorage } from "node:async_hooks"
import type { Environment } from "../domain/environment.ts"

const storage = new AsyncLocalStorage<Environment>()

/** Runs a function whose requests to other machines use the proxies of this environment, whatever that of the process names. */
export const withProxiesOf = <Result>(env: Environment, work: () => Result): Result => storage.run(env, work)

/** Returns the environment that names the proxies of the caller: that of `withProxiesOf`, or else that of the process. */
export const proxyEnvironment = (): Environment => storage.getStore() ?? process.env
