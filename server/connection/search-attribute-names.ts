/** The Keyword attributes by which sessions are found in Temporal. */
export const searchAttributeNames = ["AgentStatus", "AgentProfile", "RootSession", "ParentSession"] as const
