import type { Test } from "tap"
import type { Outcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { ApiSeat, type Tenant } from "../harness/api-seat.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import type { TestKey } from "../harness/stamper.ts"
import { memoryOf } from "../hostile/stage.ts"
import { TYPE } from "./boundary/names.ts"

/** Type without prefix, organization, parameters. */
export type Order = readonly [type: string, organizationId: string, parameters: object]

type Settled = Tenant & {
  seat: Seat
  /** A user outside the root quorum. */
  alice: { userId: string; key: TestKey }
  /** Submits as root. */
  submit: (type: string, parameters: object) => Promise<Outcome>
}

/** A seat whose signer's memory can be looked at. */
type Seat = ApiSeat & { boundary: InProcessBoundary }

type Teardown = { teardown(clean: () => Promise<void>): unknown }

/** An organization with root and alice, on a signer in this process. */
export async function settled(t: Teardown): Promise<Settled> {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const seat = new ApiSeat(boundary) as Seat
  const tenant = await seat.tenant()
  const alice = await seat.user(tenant, "alice")
  const submit = (type: string, parameters: object) =>
    seat.submit(tenant.root, TYPE(type), tenant.organizationId, parameters)
  return { ...tenant, seat, alice, submit }
}

/** The order meets this refusal, at this member, and the signer remembers nothing of it. Returns the sentence. */
export async function refusedAt(
  t: Test,
  seat: Seat,
  key: TestKey,
  [type, organizationId, parameters]: Order,
  code: RefusalName,
  field?: string,
): Promise<string> {
  const scene = { boundary: seat.boundary, seat }
  const before = memoryOf(scene)
  const answer = await seat.send(seat.body(TYPE(type), organizationId, parameters), key)
  const what = `${type} ${JSON.stringify(parameters).slice(0, 60)}`
  t.match(answer, { is: "refused", code, ...(field === undefined ? {} : { field }) }, what)
  t.equal(memoryOf(scene), before, `${what}: nothing is stored`)
  return answer.is === "refused" ? answer.sentence : ""
}
