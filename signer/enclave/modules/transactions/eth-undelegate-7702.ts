import { readEthereumSend } from "../../../core/send/ethereum-send.ts"
import type { Activity } from "../../activities/activity.ts"
import { signEthereumSend } from "./ethereum-sends.ts"

const needs = ["broadcast", "send", "signingKey"] as const

export const ethUndelegate7702: Activity<"ethUndelegate7702", typeof needs> = {
  needs,
  check: (parameters) => void readEthereumSend(parameters),
  run: signEthereumSend,
}
