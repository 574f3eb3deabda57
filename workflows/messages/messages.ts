import { defineQuery, defineSignal, defineUpdate } from "@temporalio/workflow"
import type { Usage } from "../../contracts/usage.ts"
import type { SessionStatusAnswer, UpdateAnswer } from "../../domain/session/session-message.ts"

/** Arguments are `unknown`, because handlers validate them for every sender. */
export const inboxSignal = defineSignal<[unknown]>("inbox")
export const childSignal = defineSignal<[unknown]>("child")
export const slotSignal = defineSignal<[unknown]>("slot")
export const bindingSignal = defineSignal<[unknown]>("binding")
export const decideSignal = defineSignal<[unknown]>("decide")
export const approveSignal = defineSignal<[unknown]>("approve")
export const rejectSignal = defineSignal<[unknown]>("reject")
export const inputSignal = defineSignal<[unknown]>("input")
export const steerSignal = defineSignal<[unknown]>("steer")
export const setModelSignal = defineSignal<[unknown]>("setModel")
export const retrySignal = defineSignal("retry")

export const decideUpdate = defineUpdate<UpdateAnswer, [unknown]>("decide")
export const sendUpdate = defineUpdate<UpdateAnswer, [unknown]>("send")
export const steerUpdate = defineUpdate<UpdateAnswer, [unknown]>("steer")
export const setModelUpdate = defineUpdate<UpdateAnswer, [unknown]>("setModel")
export const withdrawUpdate = defineUpdate<UpdateAnswer, [unknown]>("withdraw")

export interface PendingAnswer {
  readonly run_id: string
  readonly checkpoint_id: string | null
  readonly pending: readonly { readonly id: string; readonly name: string; readonly preview: string }[]
}

export interface TreeAnswer {
  readonly session_id: string
  readonly status: SessionStatusAnswer["status"]
  readonly children: readonly TreeAnswer[]
}

export const statusQuery = defineQuery<SessionStatusAnswer>("status")
export const pendingQuery = defineQuery<PendingAnswer>("pending")
export const usageQuery = defineQuery<Usage>("usage")
export const treeQuery = defineQuery<TreeAnswer>("tree")
