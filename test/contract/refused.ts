import type { Test } from "tap"
import type { Outcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { ApiClient, type Tenant } from "../harness/api-client.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import type { TestKey } from "../harness/stamper.ts"
import { ledgerDigest } from "../hostile/setup.ts"
import { TYPE } from "./boundary/names.ts"

/** Type without prefix, organization, parameters. */
export type Order = readonly [type: string, organizationId: string, parameters: object]

type Settled = Tenant & {
  client: Seat
  /** A user outside the root quorum. */
  alice: { userId: string; key: TestKey }
  /** Submits as root. */
  submit: (type: string, parameters: object) => Promise<Outcome>
}

/** A client whose signer's ledger the test can read. */
type Seat = ApiClient & { boundary: InProcessBoundary }

type Teardown = { teardown(clean: () => Promise<void>): unknown }

/** An organization with root and alice, on a signer in this process. */
export async function settled(t: Teardown, settings: { [name: string]: string } = {}): Promise<Settled> {
  const boundary = new InProcessBoundary(undefined, settings)
  t.teardown(() => boundary.close())
  const client = new ApiClient(boundary) as Seat
  const tenant = await client.createOrganization()
  const alice = await client.user(tenant, "alice")
  const submit = (type: string, parameters: object) =>
    client.submit(tenant.root, TYPE(type), tenant.organizationId, parameters)
  return { ...tenant, client, alice, submit }
}

/** The order meets this refusal, at this member, and the signer remembers nothing of it. Returns the sentence. */
export async function refusedAt(
  t: Test,
  client: Seat,
  key: TestKey,
  [type, organizationId, parameters]: Order,
  code: RefusalName,
  field?: string,
): Promise<string> {
  const fixture = { boundary: client.boundary, client }
  const before = ledgerDigest(fixture)
  const answer = await client.send(client.body(TYPE(type), organizationId, parameters), key)
  const what = `${type} ${JSON.stringify(parameters).slice(0, 60)}`
  t.match(answer, { is: "refused", code, ...(field === undefined ? {} : { field }) }, what)
  t.equal(ledgerDigest(fixture), before, `${what}: nothing is stored`)
  return answer.is === "refused" ? answer.sentence : ""
}
