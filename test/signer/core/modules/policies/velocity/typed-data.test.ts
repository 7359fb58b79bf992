// Typed data that let others move a token. ethers encodes each of them, which proves that it is typed data; the types are those of the
// standards and of Permit2.
import { computeAddress, Transaction, TypedDataEncoder } from "ethers"
import t from "tap"
import { PayloadEncoding } from "../../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ANY_TOKEN } from "../../../../../../signer/core/modules/policies/velocity/transfer.ts"
import { OWN } from "../../../transaction/bitcoin-judge.ts"
import { readingOf, requestOf, signing, transfersBy } from "./fixture.ts"

const TOKEN = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
const OTHER = "0x6b175474e89094c44da98b954eedeac495271d0f"
const PERMIT2 = "0x000000000022d473030f116ddee9f6b43ac78ba3"
const [OWNER, SPENDER, WORD] = [`0x${"11".repeat(20)}`, `0x${"22".repeat(20)}`, `0x${"ab".repeat(32)}`]
const domainOf = (verifyingContract: string, chainId = 1) => ({ name: "x", chainId, verifyingContract })

type Fields = Record<string, string>

/** Each type's fields by name, as `uint256 value`. */
function payloadOf(
  domain: object,
  types: Record<string, Fields>,
  primaryType: string,
  message: object,
): string {
  const listed = Object.fromEntries(
    Object.entries(types).map(([name, fields]) => [
      name,
      Object.entries(fields).map(([field, type]) => ({ name: field, type })),
    ]),
  )
  const whole = TypedDataEncoder.getPayload(domain, listed, message)
  if (whole.primaryType !== primaryType) throw new Error(`ethers finds ${whole.primaryType}`)
  return JSON.stringify(whole)
}

function signingOf(...payloads: string[]) {
  const parameters = { signWith: OWNER, encoding: PayloadEncoding.EIP712, payloads }
  return requestOf("SIGN_RAW_PAYLOADS", parameters)
}

const PERMIT: Fields = {
  owner: "address",
  spender: "address",
  value: "uint256",
  nonce: "uint256",
  deadline: "uint256",
}
const permit = (value: bigint, domain: object = domainOf(TOKEN)) =>
  payloadOf(domain, { Permit: PERMIT }, "Permit", {
    owner: OWNER,
    spender: SPENDER,
    value,
    nonce: 0,
    deadline: 9,
  })
const DAI: Fields = {
  holder: "address",
  spender: "address",
  nonce: "uint256",
  expiry: "uint256",
  allowed: "bool",
}
const daiPermit = (allowed: boolean) =>
  payloadOf(domainOf(TOKEN), { Permit: DAI }, "Permit", {
    holder: OWNER,
    spender: SPENDER,
    nonce: 0,
    expiry: 0,
    allowed,
  })
const AUTHORIZATION: Fields = {
  from: "address",
  to: "address",
  value: "uint256",
  validAfter: "uint256",
  validBefore: "uint256",
  nonce: "bytes32",
}
const authorization = (primaryType: string) =>
  payloadOf(domainOf(TOKEN), { [primaryType]: AUTHORIZATION }, primaryType, {
    from: OWNER,
    to: SPENDER,
    value: 7,
    validAfter: 0,
    validBefore: 9,
    nonce: WORD,
  })

const chain = { family: "eip155", reference: "1" }
const moved = [{ ...chain, token: TOKEN, amount: 7n }]

t.test(
  "typed data for a token's contract: the amount, or what the type is where it does not show one",
  async (t) => {
    t.strictSame(transfersBy(signingOf(permit(7n))), moved)
    t.strictSame(transfersBy(signingOf(permit(0n))), [], "a permit for nothing")
    for (const type of ["TransferWithAuthorization", "ReceiveWithAuthorization"])
      t.strictSame(transfersBy(signingOf(authorization(type))), moved, type)
    const cancelled = { authorizer: OWNER, nonce: WORD }
    const cancel = payloadOf(
      domainOf(TOKEN),
      { CancelAuthorization: { authorizer: "address", nonce: "bytes32" } },
      "CancelAuthorization",
      cancelled,
    )
    t.strictSame(transfersBy(signingOf(cancel)), [])
    const unknown = (by: string) => [{ ...chain, token: TOKEN, amount: undefined, by }]
    t.strictSame(transfersBy(signingOf(daiPermit(true))), unknown('typed data "Permit"'))
    t.strictSame(transfersBy(signingOf(daiPermit(false))), [], "an allowance that ends")
    const asText = { ...PERMIT, value: "string" }
    const disguised = payloadOf(domainOf(TOKEN), { Permit: asText }, "Permit", {
      owner: OWNER,
      spender: SPENDER,
      value: "0",
      nonce: 0,
      deadline: 9,
    })
    t.strictSame(transfersBy(signingOf(disguised)), unknown('typed data "Permit"'), "an amount that is text")
    const meta = payloadOf(
      domainOf(TOKEN),
      { MetaTransaction: { from: "address", call: "bytes" } },
      "MetaTransaction",
      {
        from: OWNER,
        call: "0x00",
      },
    )
    t.strictSame(transfersBy(signingOf(meta)), unknown('typed data "MetaTransaction"'))
    const anywhere = permit(7n, { name: "x", verifyingContract: TOKEN })
    t.match(
      transfersBy(signingOf(anywhere)),
      [{ reference: undefined, token: TOKEN, amount: 7n }],
      "no chain id",
    )
    const nowhere = permit(7n, { name: "x" })
    t.strictSame(transfersBy(signingOf(nowhere)), [], "a domain without contract")
  },
)

const DETAILS: Fields = { token: "address", amount: "uint160", expiration: "uint48", nonce: "uint48" }
const PERMITTED: Fields = { token: "address", amount: "uint256" }
const detail = (token: string, amount: number) => ({ token, amount, expiration: 9, nonce: 0 })
const byPermit2 = (types: Record<string, Fields>, primaryType: string, message: object) =>
  payloadOf(domainOf(PERMIT2), types, primaryType, message)

t.test("Permit2: each token that it names, with its amount", async (t) => {
  const single = byPermit2(
    {
      PermitSingle: { details: "PermitDetails", spender: "address", sigDeadline: "uint256" },
      PermitDetails: DETAILS,
    },
    "PermitSingle",
    { details: detail(TOKEN, 7), spender: SPENDER, sigDeadline: 9 },
  )
  const batch = byPermit2(
    {
      PermitBatch: { details: "PermitDetails[]", spender: "address", sigDeadline: "uint256" },
      PermitDetails: DETAILS,
    },
    "PermitBatch",
    { details: [detail(TOKEN, 7), detail(OTHER, 5)], spender: SPENDER, sigDeadline: 9 },
  )
  const rest = { spender: "address", nonce: "uint256", deadline: "uint256" }
  const values = { spender: SPENDER, nonce: 0, deadline: 9 }
  const one = { token: TOKEN, amount: 7 }
  const two = [one, { token: OTHER, amount: 5 }]
  const both = [...moved, { ...chain, token: OTHER, amount: 5n }]
  const witness = { Order: { salt: "uint256" } }
  const witnessed = { ...rest, witness: "Order" }
  t.strictSame(transfersBy(signingOf(single)), moved)
  t.strictSame(transfersBy(signingOf(batch)), both)
  const cases: [string, Record<string, Fields>, object, object[]][] = [
    [
      "PermitTransferFrom",
      { PermitTransferFrom: { permitted: "TokenPermissions", ...rest } },
      { permitted: one },
      moved,
    ],
    [
      "PermitBatchTransferFrom",
      { PermitBatchTransferFrom: { permitted: "TokenPermissions[]", ...rest } },
      { permitted: two },
      both,
    ],
    [
      "PermitWitnessTransferFrom",
      { PermitWitnessTransferFrom: { permitted: "TokenPermissions", ...witnessed }, ...witness },
      { permitted: one, witness: { salt: 1 } },
      moved,
    ],
    [
      "PermitBatchWitnessTransferFrom",
      { PermitBatchWitnessTransferFrom: { permitted: "TokenPermissions[]", ...witnessed }, ...witness },
      { permitted: two, witness: { salt: 1 } },
      both,
    ],
  ]
  for (const [primaryType, types, message, expected] of cases) {
    const payload = byPermit2({ ...types, TokenPermissions: PERMITTED }, primaryType, {
      ...message,
      ...values,
    })
    t.strictSame(transfersBy(signingOf(payload)), expected, primaryType)
  }
  const shapeless = byPermit2({ PermitSingle: { details: "bytes" } }, "PermitSingle", { details: "0x00" })
  t.match(transfersBy(signingOf(shapeless)), [{ token: ANY_TOKEN, amount: undefined }])
})

t.test("V3: typed data for a listed token exceed a control or are refused, by its setting", async (t) => {
  const [listed, unlisted] = [[`eip155:1/erc20:${TOKEN}`], [`eip155:1/erc20:${OTHER}`, "eip155:1/slip44:60"]]
  t.match(readingOf(signingOf(permit(1_500_000n)), listed), { value: true })
  t.match(readingOf(signingOf(permit(1_500_001n)), listed), { value: false })
  t.match(readingOf(signingOf(permit(7n, domainOf(TOKEN, 10))), listed), { added: 0n }, "another chain")
  t.match(readingOf(signingOf(daiPermit(true)), listed), { value: false, unknownBy: 'typed data "Permit"' })
  t.throws(() => readingOf(signingOf(daiPermit(true)), listed, "REFUSED"), {
    code: "VELOCITY_CONTROL_AMOUNT_UNKNOWN",
  })
  t.match(readingOf(signingOf(daiPermit(true)), unlisted, "REFUSED"), { added: 0n })
  // A type of a Permit2 name for the token itself: its members say nothing about the token.
  const types = { PermitSingle: { details: "PermitDetails", spender: "address" }, PermitDetails: DETAILS }
  const message = { details: detail(OTHER, 0), spender: SPENDER }
  const named = payloadOf(domainOf(TOKEN), types, "PermitSingle", message)
  t.match(readingOf(signingOf(named), listed), { value: false, unknownBy: 'typed data "PermitSingle"' })
})

t.test(
  "V3: what an account signs for itself, or for a contract whose code it runs, may move everything",
  async (t) => {
    const own = computeAddress(`0x${Buffer.from(OWN).toString("hex")}`)
    const types = { Execution: { nonce: "uint128", to: "address", value: "uint256" } }
    const message = { nonce: 3, to: SPENDER, value: 0 }
    const executed = (contract: string) =>
      signingOf(payloadOf(domainOf(contract), types, "Execution", message))
    const authorized = (address: string, chainId = 1) =>
      requestOf("SIGN_RAW_PAYLOADS", {
        signWith: OWNER,
        encoding: PayloadEncoding.EIP7702_AUTHORIZATION,
        payloads: [JSON.stringify({ address, chainId, nonce: 7 })],
      })
    const { unsignedSerialized } = Transaction.from({ type: 2, chainId: 1, to: own, data: "0x5885bbcf" })
    const called = signing("ETHEREUM", unsignedSerialized.slice(2))
    for (const [assets, what] of [
      [["eip155:1/slip44:60"], "the currency"],
      [[`eip155:1/erc20:${TOKEN}`], "a token"],
    ] as const) {
      for (const request of [executed(own), authorized(SPENDER), authorized(SPENDER, 0), called]) {
        t.match(
          readingOf(request, assets),
          { value: false, unknownBy: /^(?:typed data|an? (?:call|author))/ },
          what,
        )
        t.throws(() => readingOf(request, assets, "REFUSED"), { code: "VELOCITY_CONTROL_AMOUNT_UNKNOWN" })
      }
      const others = [executed(OTHER), authorized(`0x${"00".repeat(20)}`), authorized(SPENDER, 10)]
      for (const request of others) t.match(readingOf(request, assets, "REFUSED"), { added: 0n }, what)
    }
  },
)

t.test("V4: a batch of typed data counts each of them", async (t) => {
  const batch = signingOf(permit(7n), permit(5n), daiPermit(false))
  t.equal(readingOf(batch, [`eip155:1/erc20:${TOKEN}`]).added, 12n * 10n ** 12n)
  const COUNT = { method: "VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT" } as const
  t.equal(readingOf(batch, [`eip155:1/erc20:${TOKEN}`], "absent", COUNT).added, 2n * 10n ** 18n)
  t.equal(readingOf(batch, [], "absent", COUNT).added, 3n * 10n ** 18n, "as activities")
})
