import { proxyActivities } from "@temporalio/workflow"

const { greet } = proxyActivities<{ greet(name: string): Promise<string> }>({ startToCloseTimeout: "10s" })

export const greeting = (name: string): Promise<string> => greet(name)
