/** The Keyword search attributes of sessions in Temporal. */
export const searchAttributeNames = ["AgentStatus", "AgentProfile", "RootSession", "ParentSession"] as const
