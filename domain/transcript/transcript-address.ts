/** Returns the address of a session's transcript, which the MCP server serves as a resource. */
export const transcriptAddress = (sessionId: string): string => `adjutant://sessions/${sessionId}/transcript`
