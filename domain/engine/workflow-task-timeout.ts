/**
 * How long the engine waits for a worker that holds a session's workflow task, which is how soon it notices that the worker died there: quick tools
 * and the workflow's own records run inside it. Its default is 10 s. A worker that lives and needs longer says so in time by itself.
 */
export const workflowTaskTimeoutMs = 4_000
