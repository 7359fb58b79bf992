// Powers of transactions: plans of sends, and what is broadcast; what policies see of a send and of contracts.
import { sendFactsOf } from "../../../../core/send/facts.ts"
import type { Makers } from "../../../execution/workspace/makers.ts"
import type { ModuleFacts } from "../../../execution/workspace/facts-request.ts"
import { interfacesOf } from "./contract-interfaces.ts"
import { broadcastsOf, sendOf, sendPlansOf } from "./sends.ts"

export const powers = {
  send: sendPlansOf,
  broadcast: broadcastsOf,
} satisfies Partial<Makers>

export const facts: ModuleFacts = (request, deps) => {
  const { activity, organization } = request
  const interfaces = interfacesOf(organization, deps)
  const send = activity.sends ? sendFactsOf(activity, sendOf(request, deps)) : undefined
  return { interfaces, ...(send !== undefined && { send }) }
}
