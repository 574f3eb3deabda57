/** Whose the links in webhooks are: their messages name no person, and everybody who reads one can decide. */
export const webhookHolder = "webhook"
