import { readCancellation } from "../../../core/send/replacement.ts"
import type { Activity } from "../../activities/activity.ts"
import { signEthereumSend } from "./ethereum-sends.ts"

const needs = ["broadcast", "send", "signingKey"] as const

export const ethCancelTransaction: Activity<"ethCancelTransaction", typeof needs> = {
  needs,
  check: (parameters) => void readCancellation(parameters),
  run: signEthereumSend,
}
