import { readReplacement } from "../../../core/send/replacement.ts"
import type { Activity } from "../../activities/activity.ts"
import { signEthereumSend } from "./ethereum-sends.ts"

const needs = ["broadcast", "send", "signingKey"] as const

export const ethReplaceTransaction: Activity<"ethReplaceTransaction", typeof needs> = {
  needs,
  check: (parameters) => void readReplacement(parameters),
  run: signEthereumSend,
}
