/** For `adjutant doctor`, which shows what this machine's workers would use. */
export { detectSandbox } from "../tools/sandbox/detect-sandbox.ts"
