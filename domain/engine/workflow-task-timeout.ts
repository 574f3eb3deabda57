/**
 * How long the engine waits for a worker that has a session's workflow task, and so how soon it notices that the worker died there. Quick tools and
 * the workflow's own records run inside the task. The engine's default is 10 s. A live worker that needs longer extends the task by heartbeats.
 */
export const workflowTaskTimeoutMs = 4_000
