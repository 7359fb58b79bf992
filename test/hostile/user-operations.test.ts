// User operations of ERC-4337 that a colleague hands in: as policies read them, and as they are signed.
import t from "tap"
import { type Hex, parseEther, recoverAddress, recoverMessageAddress, toHex } from "viem"
import { getUserOperationHash } from "viem/account-abstraction"
import { valueOf } from "../harness/api-client.ts"
import { transfers } from "../harness/velocity.ts"
import { callsOf, parametersOf, payloadOf, typedPayloadOf } from "../signer/core/user-operations.ts"
import { allow, type Member, type MemberFixture, setupMembers } from "./consensus-fixture.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { asRoot, refused } from "./setup.ts"
import { createControl } from "./velocity-fixture.ts"

const PAYEE: Hex = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
const callData = callsOf({ to: PAYEE, value: parseEther("1"), data: "0x" })
const ENCODING = "PAYLOAD_ENCODING_ERC4337_USER_OPERATION"

function parameters(
  signWith: string,
  payload: string,
  encoding = ENCODING,
  hashFunction = "HASH_FUNCTION_NO_OP",
) {
  return { signWith, payload, encoding, hashFunction }
}

function asks(
  { client, acme, address }: MemberFixture,
  { key }: Member,
  ...form: [string, string?, string?]
) {
  const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
  return client.send(client.body(type, acme.organizationId, parameters(address, ...form)), key)
}

t.test(
  "C-1819: the signature is of the hash, or of the message that has it, as viem computes them",
  async (t) => {
    const fixture = await setupMembers(t)
    const { address } = fixture
    for (const version of ["0.6", "0.7", "0.8"]) {
      const change = version === "0.6" ? { initCode: "0x", paymasterAndData: "0x", callData } : { callData }
      const given = parametersOf(change, version)
      const hash = getUserOperationHash(given as unknown as Parameters<typeof getUserOperationHash>[0])
      for (const hashFunction of ["NO_OP", "KECCAK256"]) {
        const form = parameters(
          address,
          payloadOf(change, version),
          ENCODING,
          `HASH_FUNCTION_${hashFunction}`,
        )
        const outcome = await asRoot(fixture).submit("SIGN_RAW_PAYLOAD_V2", form)
        const { r, s, v } = valueOf(outcome, "signRawPayloadResult")
        const signature = `0x${r}${s}${toHex(Number(v) + 27).slice(2)}` as const
        const signer =
          hashFunction === "NO_OP"
            ? await recoverAddress({ hash, signature })
            : await recoverMessageAddress({ message: { raw: hash }, signature })
        t.equal(signer, address, `${version}, ${hashFunction}`)
      }
    }
  },
)

t.test("W160: who may sign operations that pay one account signs no other, and no bare hash", async (t) => {
  const fixture = await setupMembers(t)
  const { dan } = fixture
  await allow(fixture, { condition: `eth.user_op.calls.all(c, c.to == '${PAYEE}' && c.data == '0x')` })
  const other = callsOf(
    { to: PAYEE, value: 1n, data: "0x" },
    { to: `0x${"22".repeat(20)}`, value: 1n, data: "0x" },
  )
  t.match(await asks(fixture, dan, payloadOf({ callData })), { is: "outcome" })
  t.match(await asks(fixture, dan, typedPayloadOf({ callData }), "PAYLOAD_ENCODING_EIP712"), {
    is: "outcome",
  })
  const given = parametersOf({ callData }) as unknown as Parameters<typeof getUserOperationHash>[0]
  const hash = getUserOperationHash(given)
  const attacks = [
    ["another payee", "PERMISSION_DENIED", payloadOf({ callData: other })],
    ["unreadable calls", "TRANSACTION_INVALID", payloadOf({ callData: "0x12345678" })],
    ["other typed data", "PERMISSION_DENIED", typedPayloadOf({ callData: other }), "PAYLOAD_ENCODING_EIP712"],
    ["the bare hash", "PERMISSION_DENIED", hash, "PAYLOAD_ENCODING_HEXADECIMAL"],
    ["SHA-256", "HASH_FUNCTION_INVALID", payloadOf({ callData }), ENCODING, "HASH_FUNCTION_SHA256"],
    ["another text", "PAYLOAD_INVALID", "{}"],
  ] satisfies [string, RefusalName, string, string?, string?][]
  for (const [what, code, payload, encoding, hashFunction] of attacks)
    await refused(t, fixture, code, () => asks(fixture, dan, payload, encoding, hashFunction), what)
})

t.test(
  "W161: operations count in a control of transfers, and those that nobody can read exceed it",
  async (t) => {
    const fixture = await setupMembers(t)
    const { dan } = fixture
    await createControl(fixture, transfers([{ caip19: "eip155:8453/slip44:60", decimals: "18" }]))
    await allow(fixture, { condition: "controls.spent" })
    t.match(await asks(fixture, dan, payloadOf({ callData })), { is: "outcome" }, "1 of 1.5 ether")
    for (const unread of [callData, "0x12345678"])
      await refused(
        t,
        fixture,
        "VELOCITY_CONTROL_EXCEEDED",
        () => asks(fixture, dan, payloadOf({ callData: unread, nonce: 8n })),
        unread.slice(0, 10),
      )
  },
)
