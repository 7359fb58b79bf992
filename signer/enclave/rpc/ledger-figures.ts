import type { ReadLedgerRequest } from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { inSlices, type Steps } from "../../core/turns/steps.ts"
import { unknownOrganization } from "../execution/state/organizations.ts"
import { changedAt, DEPLOYMENT, type Ledger } from "../ledger/ledger.ts"
import type { SignerContext } from "./context.ts"
import { readOptionalId } from "./read-fields.ts"

/** Organizations that are counted at once, between two returns to the event loop. */
const COUNTED_AT_ONCE = 500

/** Figures of the ledger, and its version of one organization. */
export async function readLedger(request: ReadLedgerRequest, context: SignerContext) {
  const { ledger, keyring, turns } = context.state()
  const id = readOptionalId(request.organizationId, "organizationId")
  const organization = id === "" ? {} : { organization: versionOf(ledger, id) }
  const { identity, lanes } = ledger.position()
  return {
    identity,
    sequence: ledger.sequence(),
    deploymentId: keyring.pins.deploymentId,
    lanes: lanes.map(({ lane, fence, epoch, sequence }) => ({
      lane,
      fence: BigInt(fence),
      epoch: BigInt(epoch),
      sequence,
    })),
    organizationCount: await inSlices(countOrganizations(ledger), DEPLOYMENT, turns),
    sealEpoch: keyring.records.epoch,
    timeFloorMs: BigInt(ledger.timeFloorMs()),
    quietUntilMs: BigInt(ledger.quietUntilMs()),
    ...organization,
  }
}

/** @throws ORGANIZATION_UNKNOWN, LEDGER_DAMAGED */
function versionOf(ledger: Ledger, id: string) {
  const head = ledger.head(id)
  if (head === undefined) throw unknownOrganization(id)
  return { ...head, ledgerSequence: changedAt(ledger, id) }
}

function* countOrganizations(ledger: Ledger): Steps<bigint> {
  let count = 0n
  for (let after = ""; ; ) {
    const page = ledger.organizations(after, COUNTED_AT_ONCE)
    const last = page.at(-1)
    if (last === undefined) return count
    count += BigInt(page.length)
    after = last.organizationId
    yield
  }
}
