import { createHash } from "node:crypto"
import { fromBinary } from "@bufbuild/protobuf"
import { base58 } from "@scure/base"
import t from "tap"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  RecordKind,
  RecordSchema,
  SmartContractInterfaceRecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { valueOf } from "../../../../harness/api-client.ts"
import { asRoot, refused, type Fixture, setup } from "../../../../hostile/setup.ts"

const NIL = "00000000-0000-4000-8000-000000000000"
const CREATE = "CREATE_SMART_CONTRACT_INTERFACE"
const DELETE = "DELETE_SMART_CONTRACT_INTERFACE"
const TETHER = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
const PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
const ABI = JSON.stringify([{ type: "function", name: "f", inputs: [] }])
const IDL = JSON.stringify({ instructions: [], types: [] })

const ethereum = (smartContractAddress = TETHER, smartContractInterface = ABI) => ({
  smartContractAddress,
  smartContractInterface,
  type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
  label: "a token",
})
const solana = (smartContractAddress = PROGRAM, smartContractInterface = IDL) => ({
  ...ethereum(smartContractAddress, smartContractInterface),
  type: "SMART_CONTRACT_INTERFACE_TYPE_SOLANA",
})

async function create(fixture: Fixture, parameters: object): Promise<string> {
  const outcome = await asRoot(fixture).submit(CREATE, parameters)
  return valueOf(outcome, "createSmartContractInterfaceResult").smartContractInterfaceId
}

function interfacesOf({ client, acme }: Fixture) {
  const { document } = fromBinary(NotarizedDocumentSchema, client.documents.get(acme.organizationId)!)
  return fromBinary(OrganizationDocumentSchema, document).interfaces
}

/** A list of functions whose text has exactly this many bytes. */
function abiOf(bytes: number, character = "x"): string {
  const shell = JSON.stringify([{ name: "f", inputs: [], notice: "" }])
  const filling = character.repeat((bytes - shell.length) / Buffer.byteLength(character))
  return JSON.stringify([{ name: "f", inputs: [], notice: filling }])
}

t.test("the document has an interface's address and digest, a record its text", async (t) => {
  const fixture = await setup(t)
  const id = await create(fixture, { ...ethereum(), notes: "for policies" })
  const other = await create(fixture, solana())
  const digest = (text: string) => createHash("sha256").update(text).digest().toString("hex")
  t.match(
    interfacesOf(fixture).map((one) => ({ ...one, digest: Buffer.from(one.digest).toString("hex") })),
    [
      { interfaceId: id, address: TETHER.toLowerCase(), digest: digest(ABI) },
      { interfaceId: other, address: PROGRAM, digest: digest(IDL) },
    ],
  )
  const record = fromBinary(RecordSchema, fixture.client.records.get(id)!)
  t.match(record, { kind: RecordKind.SMART_CONTRACT_INTERFACE, version: 1n, sealed: new Uint8Array(0) })
  const stored = fromBinary(SmartContractInterfaceRecordSchema, record.payload)
  t.match(stored, { address: TETHER, text: ABI, label: "a token", notes: "for policies" })
})

t.test("an interface is stored whichever transactions policies read", async (t) => {
  const fixture = await setup(t)
  const conditions = [
    "solana.tx.program_keys.count() == 1",
    "eth.tx.value <= 5",
    "tron.tx.fee_limit <= 5",
    "bitcoin.tx.fee <= 5",
  ]
  for (const [index, condition] of conditions.entries()) {
    const policy = {
      policyName: condition,
      effect: "EFFECT_ALLOW",
      consensus: "approvers.any(u, u.id == 'x')",
      condition,
      notes: "",
    }
    await asRoot(fixture).submit("CREATE_POLICY_V3", policy)
    const address = `${TETHER.slice(0, -1)}${index}`
    t.match(
      await create(fixture, ethereum(address.toLowerCase())),
      /^[0-9a-f-]{36}$/,
      `an ABI beside ${condition}`,
    )
    const { policyId } = valueOf(
      await asRoot(fixture).submit("CREATE_POLICY_V3", {
        ...policy,
        policyName: "deny",
        effect: "EFFECT_DENY",
      }),
      "createPolicyResult",
    )
    t.match(
      await create(fixture, solana(base58.encode(new Uint8Array(32).fill(index + 1)))),
      /^[0-9a-f-]{36}$/,
      `an IDL beside ${condition}`,
    )
    await asRoot(fixture).submit("DELETE_POLICY", { policyId })
  }
})

t.test("an interface has 400,000 bytes at most, whatever its characters", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const field = "parameters.smartContractInterface"
  for (const text of [abiOf(400_001), abiOf(400_002, "é")]) {
    await refused(t, fixture, "REQUEST_INVALID", () => attempt(CREATE, ethereum(TETHER, text)))
    t.match(await attempt(CREATE, ethereum(TETHER, text)), { field })
  }
  const exact = abiOf(400_000)
  t.equal(Buffer.byteLength(exact), 400_000)
  t.ok(await create(fixture, ethereum(TETHER, exact)))
})

t.test("each type and address has one interface, however the address is written", async (t) => {
  const fixture = await setup(t)
  const { attempt, submit } = asRoot(fixture)
  const id = await create(fixture, ethereum())
  for (const address of [TETHER, TETHER.toLowerCase(), `0x${TETHER.slice(2).toUpperCase()}`]) {
    const attack = () => attempt(CREATE, ethereum(address, "[]"))
    await refused(t, fixture, "INTERFACE_TAKEN", attack, address)
    t.match(await attack(), { field: "parameters.smartContractAddress" })
  }
  await create(fixture, solana())
  await refused(t, fixture, "INTERFACE_TAKEN", () => attempt(CREATE, solana()))
  const other = `${PROGRAM.slice(0, -2)}Da`
  t.ok(await create(fixture, solana(other)), "Base58 is case-sensitive")
  const gone = await submit(DELETE, { smartContractInterfaceId: id.toUpperCase() })
  t.equal(valueOf(gone, "deleteSmartContractInterfaceResult").smartContractInterfaceId, id)
  t.match(fromBinary(RecordSchema, fixture.client.records.get(id)!), {
    deleted: true,
    payload: new Uint8Array(0),
  })
  t.not(await create(fixture, ethereum()), id)
  t.equal(interfacesOf(fixture).length, 3)
})

t.test("invalid addresses, invalid interfaces and unknown ids are refused", async (t) => {
  const fixture = await setup(t)
  const { attempt, submit } = asRoot(fixture)
  const wrongChecksum = TETHER.replace("dAC", "dac")
  for (const address of ["0x00", TETHER.slice(2), `${TETHER}0`, wrongChecksum, PROGRAM, "vitalik.eth"])
    await refused(t, fixture, "CONTRACT_ADDRESS_INVALID", () => attempt(CREATE, ethereum(address)), address)
  for (const address of [TETHER, PROGRAM.slice(1), `${PROGRAM}1`, PROGRAM.replace("T", "0"), "1".repeat(31)])
    await refused(t, fixture, "CONTRACT_ADDRESS_INVALID", () => attempt(CREATE, solana(address)), address)
  for (const [text, sentence] of [
    ["no JSON", /the ABI is no JSON: .*position 0/],
    [IDL, /the ABI must be a list/],
    ['[{"name":"f"}]', /the ABI \[0\]\.inputs is missing/],
  ] as const) {
    const attack = () => attempt(CREATE, ethereum(TETHER, text))
    await refused(t, fixture, "INTERFACE_INVALID", attack, text)
    t.match(await attack(), { sentence, field: "parameters.smartContractInterface" })
  }
  const invalid = () => attempt(CREATE, solana(PROGRAM, ABI))
  await refused(t, fixture, "INTERFACE_INVALID", invalid)
  t.match(await invalid(), { sentence: "invalid smart contract interface: the IDL must be an object" })
  for (const change of [
    { label: "" },
    { label: "x".repeat(257) },
    { notes: "x".repeat(16_385) },
    { type: "SMART_CONTRACT_INTERFACE_TYPE_TRON" },
    { smartContractInterface: "" },
  ])
    await refused(t, fixture, "REQUEST_INVALID", () => attempt(CREATE, { ...ethereum(), ...change }))
  for (const id of [NIL, fixture.walletId])
    await refused(t, fixture, "RESOURCE_UNKNOWN", () => attempt(DELETE, { smartContractInterfaceId: id }))
  const id = await create(fixture, ethereum())
  await submit(DELETE, { smartContractInterfaceId: id })
  await refused(t, fixture, "RECORD_DELETED", () => attempt(DELETE, { smartContractInterfaceId: id }))
})

t.test("an organization has at most 100 interfaces", async (t) => {
  const fixture = await setup(t)
  const address = (index: number) => `0x${index.toString(16).padStart(40, "0")}`
  for (let index = 0; index < 100; index++) await create(fixture, ethereum(address(index), "[]"))
  const another = () => asRoot(fixture).attempt(CREATE, ethereum(address(100), "[]"))
  await refused(t, fixture, "LIMIT_EXCEEDED", another)
})
