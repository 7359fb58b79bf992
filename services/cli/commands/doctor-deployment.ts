import { daysInWords, urgencyOf } from "../../common/certificate-days.ts"
import { type Querying, query } from "../../terminal-client/api-client.ts"
import { CliError } from "../../terminal-client/exit.ts"

type State = {
  sealEpoch?: number
  links?: {
    peer: string
    transport: string
    certificates?: { holder: string; subject: string; daysLeft?: number }[]
  }[]
}

/** The deployment's certificates and seal epoch, in words. @throws {Error} for a certificate that must be renewed now */
export async function deploymentState(querying: Querying): Promise<string> {
  let state: State
  try {
    state = await query<State>(querying, "get_deployment_state")
  } catch (error) {
    if (error instanceof CliError && /is a sub-organization/.test(error.lines[0] ?? ""))
      return "not asked: a user of a top-level organization may"
    throw error
  }
  const shown = (state.links ?? []).flatMap(({ peer, certificates = [] }) =>
    certificates.map(({ holder, subject, daysLeft = 0 }) => ({
      urgency: urgencyOf(daysLeft),
      sentence: `${holder.toLowerCase()} to ${(holder === peer ? "api" : peer).toLowerCase()} (${subject}) ${daysInWords(daysLeft)}`,
    })),
  )
  const certificates =
    shown.length === 0
      ? "no certificate: signer and fetcher are sockets of the API's host"
      : `certificates: ${shown.map(({ sentence }) => sentence).join("; ")}`
  if (shown.some(({ urgency }) => urgency === "now")) throw new Error(certificates)
  return `seal epoch ${state.sealEpoch ?? "unknown, the signer does not answer"}; ${certificates}`
}
