import { readEthereumSend } from "../../../core/send/ethereum-send.ts"
import type { Activity } from "../../activities/activity.ts"
import { signEthereumSend } from "./ethereum-sends.ts"

const needs = ["broadcast", "send", "signingKey"] as const

export const ethSendTransaction: Activity<"ethSendTransaction", typeof needs> = {
  needs,
  check: (parameters) => void readEthereumSend(parameters),
  run: signEthereumSend,
}

export const ethSendTransactionV2: Activity<"ethSendTransaction", typeof needs, "V2", "V2"> = {
  needs,
  check: (parameters) => void readEthereumSend(parameters),
  run: signEthereumSend,
}
