/** For `adjutant doctor`, which shows what this machine's workers would use. */
export { detectSandbox, surveySandboxes } from "../tools/sandbox/detect-sandbox.ts"
export { sandboxSettingsOf } from "./sandbox-settings.ts"
