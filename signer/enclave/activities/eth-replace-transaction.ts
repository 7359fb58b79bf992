import { readReplacement } from "../../core/send/replacement.ts"
import type { Activity } from "./activity.ts"
import { signEthereumSend } from "./shared/ethereum-sends.ts"

export const ethReplaceTransaction: Activity<"ethReplaceTransaction"> = {
  check: (parameters) => void readReplacement(parameters),
  run: (parameters, context) => signEthereumSend(readReplacement(parameters).send, parameters.from, context),
}
