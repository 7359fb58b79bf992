// The refusals that can come when the last vote has arrived: each ends the activity or leaves it waiting, as its
// declaration in refusal.proto says.
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { getOption } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  RefusalCode,
  RefusalCodeSchema,
  refusal,
} from "../../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { type RefusalName, refuse } from "../../../../../signer/core/refusal.ts"
import { createWallet } from "../../../../../signer/enclave/modules/wallets/create-wallet.ts"
import { quorumOfThree } from "../../../../hostile/quorum.ts"
import { ledgerSequence, refused } from "../../../../hostile/setup.ts"
import { stampWith } from "../../../../harness/stamper.ts"

const { CONSENSUS_NEEDED, COMPLETED, FAILED } = ActivityStatus

const declared = RefusalCodeSchema.values.filter(({ number }) => number !== 0)
const isFinal = new Map(
  declared.map((value) => [value.localName as RefusalName, getOption(value, refusal).final]),
)

t.test(
  "whatever code the run after the last vote is refused with, the activity ends or can still run",
  async (t) => {
    const fixture = await quorumOfThree(t)
    const { boundary, client, acme, alice, bob, propose, approval, approve } = fixture
    const pending = () => boundary.signer.state().ledger.rows(acme.organizationId, "pending").length
    const { run } = createWallet
    t.teardown(() => Object.assign(createWallet, { run }))
    for (const [code, ends] of isFinal) {
      const { fingerprint } = await propose()
      t.equal((await approve(alice, fingerprint)).status, CONSENSUS_NEEDED)
      Object.assign(createWallet, {
        run: () => {
          throw refuse(code, "the run is refused")
        },
      })
      if (ends) {
        const outcome = await approve(bob, fingerprint)
        t.match(outcome, { status: FAILED, failure: { code: RefusalCode[code] }, result: undefined }, code)
      } else {
        const vote = approval(fingerprint)
        await refused(
          t,
          fixture,
          code,
          () => client.offer(vote, stampWith(bob.key, vote)),
          code,
          ledgerSequence,
        )
      }
      Object.assign(createWallet, { run })
      t.equal(pending(), ends ? 0 : 1, code)
      if (!ends)
        t.equal((await approve(bob, fingerprint)).status, COMPLETED, `${code}: the same vote, given again`)
    }
  },
)

/** Why a code of the code that runs an activity leaves a waiting activity as it is. */
const WAITS: { readonly [code in RefusalName]?: string } = {
  RECORD_FORGED: "the database was altered; the true record can still come",
  RECORD_OF_ANOTHER_ORGANIZATION: "as above",
  RECORD_UNEXPECTED: "as above",
  RECORD_ROLLED_BACK: "as above",
  DOCUMENT_FORGED: "as above, for the parent's document",
  DOCUMENT_OF_ANOTHER_ORGANIZATION: "as above",
  DOCUMENT_ROLLED_BACK: "as above",
  CONTEXT_MISSING: "the database lacks a record, which the signer's archive has",
  REQUEST_TOO_LARGE: "the API tier sent too much beside the vote",
  STATEMENT_INVALID: "the API tier sent a statement that is not about this vote",
  FETCHER_NOT_PAIRED: "the operator can pair a fetcher",
  AUTH_PROXY_NOT_PAIRED: "the operator can pair an auth proxy",
  OTP_DISABLED: "root users can switch on the channel",
  EMAIL_AUTH_DISABLED: "as for OTP_DISABLED",
  EMAIL_RECOVERY_DISABLED: "as for OTP_DISABLED",
  OTP_SEALED_ONLY: "root users can remove the feature",
  OTP_LIMIT_EXCEEDED: "the contact's earlier codes expire",
  INVITATION_LIMIT_EXCEEDED: "the address's day ends",
  SEAL_BROKEN: "the operator can restore the seed or the data",
  ORGANIZATION_UNKNOWN: "of the parent, which cannot be absent or deleted",
  ORGANIZATION_DELETED: "as above",
  SESSION_SCOPE_UNDECIDED: "of the session that stamps the vote, before the activity is opened",
  REQUEST_STALE: "of the vote",
  REQUEST_FROM_FUTURE: "of the vote",
  CREDENTIAL_NEWER_THAN_REQUEST: "of the vote",
  ACTIVITY_REPLAYED: "of the vote",
  STAMP_MALFORMED: "of the vote",
  STAMP_SCHEME_UNKNOWN: "of the vote",
  STAMP_INVALID: "of the vote",
  STAMP_CEREMONY_WRONG: "of the vote",
  STAMP_ORIGIN_WRONG: "of the vote",
  STAMP_KEY_UNATTESTED: "of the vote",
  SEND_FEE_OVER_CAP: "the chain's fees may fall, and the operator can raise the cap",
  GAS_STATION_UNCONFIGURED: "the operator can pin one",
  SPONSORSHIP_DISABLED: "root users can enable it",
  SPONSORSHIP_UNPRICED: "the operator can set the price",
  SPONSORSHIP_LIMIT_EXCEEDED: "what was spent leaves its window",
  SPONSORSHIP_CAP_EXCEEDED: "what was spent leaves the day, and the operator can raise the cap",
  VELOCITY_CONTROL_AMOUNT_UNKNOWN: "the control can be deleted, or made to count it as without limit",
  VELOCITY_CONTROL_EXCEEDED: "what was counted leaves its window, or the control is deleted",
  PERMISSION_DENIED: "of a submission; a waiting activity that is denied waits for the root quorum",
}

t.test(
  "every code that the files of a run can refuse with is final or has a reason to leave the activity waiting",
  async (t) => {
    const folder = "signer/enclave/execution"
    const files = importedFrom([
      `${folder}/workspace/run-activity.ts`,
      `${folder}/steps/decision-input.ts`,
      `${folder}/steps/commit.ts`,
      // Opens the parent, which a run reads through its context.
      `${folder}/state/organizations.ts`,
    ])
    t.ok(files.size > 150 && files.has("signer/enclave/modules/wallets/create-wallet.ts"))
    const named = [...files].flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/"([A-Z][A-Z0-9_]+)"/g)].map(([, word = ""]) => word),
    )
    const waiting = [...new Set(named)].filter((word) => isFinal.get(word as RefusalName) === false)
    t.strictSame(waiting.toSorted(), Object.keys(WAITS).toSorted())
  },
)

/** Files that these files load, by their imports of values. */
function importedFrom(entrances: readonly string[]): Set<string> {
  const files = new Set<string>()
  const queue = [...entrances]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (files.has(file) || file.startsWith("proto/")) continue
    files.add(file)
    const text = readFileSync(file, "utf8")
    for (const [, path = ""] of text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from "(\.[^"]+)"/gms))
      queue.push(join(dirname(file), path))
  }
  return files
}
