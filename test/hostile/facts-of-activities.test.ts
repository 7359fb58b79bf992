// Facts belong to activities: a rule about one activity's transaction changes nothing for another activity.
import { base58 } from "@scure/base"
import t from "tap"
import { READING } from "../harness/activity-roots.ts"
import { transfers } from "../harness/velocity.ts"
import { allow, deny } from "./consensus-fixture.ts"
import { demand } from "./mfa-fixture.ts"
import { asRoot, type Fixture, setup } from "./setup.ts"
import { sweptOrders } from "./sweep/orders.ts"
import { casesOf, isLong } from "../harness/long.ts"

/** Policies, an MFA policy of the root user and a velocity control that read every root. They match no request here. */
async function createRules(fixture: Fixture): Promise<void> {
  const condition = Object.values(READING).join(" || ")
  await allow(fixture, { policyName: "allows", condition })
  await deny(fixture, { policyName: "denies", condition })
  const methods = [{ type: "AUTHENTICATION_TYPE_API_KEY" }]
  await demand(fixture, fixture.acme.rootUserId, methods, { mfaPolicyName: "asks", condition })
  await asRoot(fixture).submit("CREATE_VELOCITY_CONTROL", transfers())
}

/** The short form runs one activity of so many. */
const STRIDE = isLong ? 1 : 6

for (const [index, [name, prepare]] of [...sweptOrders].entries()) {
  if (index % STRIDE !== 0) continue
  t.test(`B6: ${name} runs beside rules that read every root`, async (t) => {
    const fixture = await setup(t)
    await createRules(fixture)
    const { client, acme } = fixture
    const alice = await client.user(acme, "alice")
    const { type, organizationId, stamper, parameters, timestampMs } = await prepare({ fixture, acme, alice })
    const body = client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters, timestampMs)
    t.match(await client.send(body, stamper), { is: "outcome" })
  })
}

t.test(
  "B6: contract interfaces of both types are uploaded beside a policy that reads a transaction",
  async (t) => {
    const abi = [{ type: "function", name: "pay", inputs: [{ name: "to", type: "address" }], outputs: [] }]
    const idl = {
      version: "0.1.0",
      name: "x",
      instructions: [
        {
          name: "pay",
          accounts: [{ name: "a", isMut: true, isSigner: true }],
          args: [{ name: "n", type: "u64" }],
        },
      ],
      types: [],
    }
    const interfaces = [
      ["ETHEREUM", `0x${"11".repeat(20)}`, abi],
      ["SOLANA", base58.encode(new Uint8Array(32).fill(7)), idl],
    ] as const
    for (const root of casesOf(2, ["eth.tx", "solana.tx", "tron.tx", "bitcoin.tx"])) {
      const fixture = await setup(t)
      await allow(fixture, { condition: READING[root]! })
      for (const [chain, smartContractAddress, text] of interfaces) {
        const answer = await asRoot(fixture).attempt("CREATE_SMART_CONTRACT_INTERFACE", {
          smartContractAddress,
          smartContractInterface: JSON.stringify(text),
          type: `SMART_CONTRACT_INTERFACE_TYPE_${chain}`,
          label: chain,
        })
        t.match(answer, { is: "outcome" }, `${chain} beside ${root}`)
      }
    }
  },
)
