import type { DescService } from "@bufbuild/protobuf"
import { holderActValue } from "../../core/log/holder-leaves.ts"
import { isEqual } from "../../core/log/proofs.ts"
import { Refusal } from "../../core/refusal.ts"
import type { AuditStream } from "../audit/audit-stream.ts"
import type { SignerContext } from "./context.ts"

/** Calls that change nothing. Of a backup's copy that is asked for until it is done, SignBackup is the act. */
const READS = new Set(["getStatus", "readLedger", "readAudit", "readSeal", "copyLedger"])

type Handler = (request: never, context: SignerContext, signal: AbortSignal) => unknown

/** Handlers of unary calls that record each call: an act before it begins and after it ends, so that none is done unrecorded. */
export function audited<H extends object>(service: DescService, handlers: H, audit: AuditStream): H {
  const recorded = service.methods.map(({ localName }) => {
    const handler = handlers[localName as keyof H] as Handler
    const run: Handler = async (...call) => {
      const number = READS.has(localName)
        ? undefined
        : audit.act({ call: localName, ...described(call[0], call[1]) })
      const end = (outcome: string, answer?: unknown) =>
        number === undefined
          ? audit.read(localName, outcome)
          : audit.outcome({ act: number, outcome, ...sharesOf(answer) })
      try {
        const answer = await handler(...call)
        end("done", answer)
        return answer
      } catch (error) {
        end(error instanceof Refusal ? error.code : "INTERNAL")
        throw error
      }
    }
    return [localName, run]
  })
  return Object.fromEntries(recorded) as H
}

/** Members of requests that say for whom and by whom an act is. Text that has another form is not recorded. */
type Described = {
  publicKey?: string
  organizationId?: string
  approved?: { text: Uint8Array; approvals: readonly { publicKey: Uint8Array }[] }
  evidence?: { case?: string }
  act?: { case?: string }
}

function described(
  { publicKey, organizationId, approved, evidence, act }: Described,
  { acts }: Pick<SignerContext, "acts">,
) {
  const subject = [publicKey, organizationId].find((text) => SUBJECT.test(text ?? ""))?.toLowerCase()
  const kind = evidence?.case ?? act?.case
  return {
    ...(subject !== undefined && { subject }),
    ...(kind !== undefined && { evidence: kind }),
    // The log has a leaf with this value once the act is done, and then these holders approved it.
    ...(approved !== undefined && {
      holders: numbersOf(approved.approvals, acts),
      leaf: leafOf(approved.text),
    }),
  }
}

/** A compressed public key, or a UUID. */
const SUBJECT = /^(?:[0-9a-f]{66}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

const leafOf = (text: Uint8Array) => Buffer.from(holderActValue(text)).toString("hex")

/** Numbers of the holders whose keys are on the approvals; 0: a key that is no holder's. */
function numbersOf(
  approvals: readonly { publicKey: Uint8Array }[],
  { holders }: SignerContext["acts"],
): number[] {
  const keys = holders?.publicKeys ?? []
  return approvals
    .slice(0, MAX_APPROVALS)
    .map(({ publicKey }) => 1 + keys.findIndex((key) => isEqual(key, publicKey)))
}

/** As many approvals as an act has at most. */
const MAX_APPROVALS = 15

/** Numbers of the shares that wait after a share was given. */
function sharesOf(answer: unknown) {
  const given = (answer as { given?: readonly number[] } | undefined)?.given
  return given === undefined || given.length === 0 ? {} : { shares: given }
}
