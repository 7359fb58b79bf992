import type {
  SignWebhooksRequest,
  WebhookStatement,
} from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { readJsonObject } from "../../../../../proto/strict-json.ts"
import { refuse } from "../../../../core/refusal.ts"
import { inSlices } from "../../../../core/turns/slices.ts"
import { MAX_STATEMENTS } from "../../../../core/webhook/statement.ts"
import { readUuid } from "../../../../core/uuid.ts"
import { unknownOrganization } from "../../../execution/state/organizations.ts"
import type { ServingState, SignerContext } from "../../../rpc/context.ts"

/** Difference between the API tier's time and the signer's, either way. A withheld signature is stale after as long. */
const MAX_SKEW_MS = 5 * 60 * 1000

/** Maximum length of all bodies of one call together, as in one message of the Execute stream. */
const MAX_BODIES_BYTES = 4 * 1024 * 1024

/** Statements between two turns of the event loop: users' requests wait for so many signatures at most. */
const SLICE = { size: 8 }

/**
 * Signs notifications. All are checked before the first is signed. The phase may change between two slices, so each step
 * asks for the state anew.
 */
export async function signWebhooks({ statements }: SignWebhooksRequest, context: SignerContext) {
  requireSize(statements)
  const checked = await inSlices(statements, SLICE, (statement, index) =>
    readStatement(statement, `statements[${index}]`, context.state()),
  )
  const { keyId } = context.state().keyring.webhooks
  const signatures = await inSlices(checked, SLICE, ({ body, ...event }) =>
    context.state().keyring.webhooks.sign(event, body),
  )
  return { keyId, signatures }
}

function requireSize(statements: readonly WebhookStatement[]): void {
  const bytes = statements.reduce((sum, { body }) => sum + body.length, 0)
  // A single body is bounded by the size of a message alone.
  if (statements.length <= MAX_STATEMENTS && (bytes <= MAX_BODIES_BYTES || statements.length === 1)) return
  const sentence = `at most ${MAX_STATEMENTS} notifications and ${MAX_BODIES_BYTES} bytes are signed at once`
  throw refuse("REQUEST_TOO_LARGE", sentence, { field: "statements" })
}

/** @throws WEBHOOK_TIME_INVALID, WEBHOOK_STATEMENT_INVALID, ORGANIZATION_UNKNOWN */
function readStatement(
  { organizationId: ofEvent, eventId: id, timestampMs, body }: WebhookStatement,
  field: string,
  { ledger, nowMs }: ServingState,
) {
  const invalid = (member: string, fault: string, cause?: unknown) =>
    refuse("WEBHOOK_STATEMENT_INVALID", `${field}.${member}: ${fault}`, {
      field: `${field}.${member}`,
      cause,
    })
  const [eventId, organizationId] = [readUuid(id), readUuid(ofEvent)]
  if (eventId === undefined) throw invalid("eventId", "an event's id is a UUID")
  if (organizationId === undefined) throw invalid("organizationId", "an organization's id is a UUID")
  if (Math.abs(Number(timestampMs) - nowMs()) > MAX_SKEW_MS) {
    const sentence = `${field}.timestampMs: the time is more than five minutes from the signer's; correct the clock of the API's host`
    throw refuse("WEBHOOK_TIME_INVALID", sentence, { field: `${field}.timestampMs` })
  }
  const members = readJsonObject(body, (reason, cause) => invalid("body", `the body ${reason}`, cause))
  if (members["organizationId"] !== organizationId)
    throw invalid("body", "the body's organizationId is that of the statement")
  if (ledger.head(organizationId) === undefined) throw unknownOrganization(organizationId)
  return { eventId, timestampMs, body }
}
