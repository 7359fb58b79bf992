import type { Tenant } from "../harness/api-client.ts"
import type { TestKey } from "../harness/stamper.ts"
import type { Fixture } from "./setup.ts"

/**
 * Two bodies of one type for the organization. `harm`: the effect of replaying the first after the second. The
 * second body may depend on the first's result.
 */
export type ReplayCase = {
  type: string
  first: object
  second: object | (() => Promise<object>)
  harm: string
}

export type Actors = { fixture: Fixture; acme: Tenant; alice: { userId: string; key: TestKey } }
