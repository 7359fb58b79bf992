// Every function of tokens on every chain, under every setting of a control. Calls are encoded by ethers; transactions are written by
// ethers and tronweb.
import { readFileSync } from "node:fs"
import { Interface, Transaction } from "ethers"
import t from "tap"
import { utils } from "tronweb"
import { writtenByTronweb } from "../../../transaction/tron-judge.ts"
import { readingOf, type Setting, signing } from "./fixture.ts"

const VALUE = 7n
const [HOLDER, PAYEE] = [`0x${"11".repeat(20)}`, `0x${"22".repeat(20)}`]
const TOKEN = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
const TRON_TOKEN = utils.address.fromHex(`41${TOKEN.slice(2)}`)
const [WORD, SIGNATURE] = [`0x${"ab".repeat(32)}`, "0xabcd"]
const VRS = [27, WORD, WORD]

type Call = readonly [declaration: string, values: readonly unknown[]]

/** Each moves VALUE, makes it or lets others move it. */
const MOVING: readonly Call[] = [
  ["transfer(address,uint256)", [PAYEE, VALUE]],
  ["transferFrom(address,address,uint256)", [HOLDER, PAYEE, VALUE]],
  ["approve(address,uint256)", [PAYEE, VALUE]],
  ["increaseAllowance(address,uint256)", [PAYEE, VALUE]],
  ["increaseApproval(address,uint256)", [PAYEE, VALUE]],
  ["burn(uint256)", [VALUE]],
  ["burn(address,uint256)", [HOLDER, VALUE]],
  ["burnFrom(address,uint256)", [HOLDER, VALUE]],
  ["mint(uint256)", [VALUE]],
  ["mint(address,uint256)", [PAYEE, VALUE]],
  ["transferAndCall(address,uint256)", [PAYEE, VALUE]],
  ["transferAndCall(address,uint256,bytes)", [PAYEE, VALUE, "0x0102"]],
  ["transferFromAndCall(address,address,uint256)", [HOLDER, PAYEE, VALUE]],
  ["transferFromAndCall(address,address,uint256,bytes)", [HOLDER, PAYEE, VALUE, "0x"]],
  ["approveAndCall(address,uint256)", [PAYEE, VALUE]],
  ["approveAndCall(address,uint256,bytes)", [PAYEE, VALUE, "0x0102"]],
  ["send(address,uint256,bytes)", [PAYEE, VALUE, "0x"]],
  ["burn(uint256,bytes)", [VALUE, "0x"]],
  ["operatorSend(address,address,uint256,bytes,bytes)", [HOLDER, PAYEE, VALUE, "0x01", "0x"]],
  ["operatorBurn(address,uint256,bytes,bytes)", [HOLDER, VALUE, "0x", "0x02"]],
  ["permit(address,address,uint256,uint256,uint8,bytes32,bytes32)", [HOLDER, PAYEE, VALUE, 9n, ...VRS]],
  ["permit(address,address,uint256,uint256,bytes)", [HOLDER, PAYEE, VALUE, 9n, SIGNATURE]],
  ...["transferWithAuthorization", "receiveWithAuthorization"].flatMap((name): Call[] => [
    [
      `${name}(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)`,
      [HOLDER, PAYEE, VALUE, 0n, 9n, WORD, ...VRS],
    ],
    [
      `${name}(address,address,uint256,uint256,uint256,bytes32,bytes)`,
      [HOLDER, PAYEE, VALUE, 0n, 9n, WORD, SIGNATURE],
    ],
  ]),
  ["withdraw(uint256)", [VALUE]],
  ["push(address,uint256)", [PAYEE, VALUE]],
  ["pull(address,uint256)", [HOLDER, VALUE]],
  ["move(address,address,uint256)", [HOLDER, PAYEE, VALUE]],
]

/** None moves anything. */
const HARMLESS: readonly Call[] = [
  ["approve(address,uint256)", [PAYEE, 0n]],
  ["decreaseAllowance(address,uint256)", [PAYEE, VALUE]],
  ["decreaseApproval(address,uint256)", [PAYEE, VALUE]],
  ["revokeOperator(address)", [PAYEE]],
  ["cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)", [HOLDER, WORD, ...VRS]],
  ["cancelAuthorization(address,bytes32,bytes)", [HOLDER, WORD, SIGNATURE]],
  ...["name", "symbol", "decimals", "totalSupply", "DOMAIN_SEPARATOR", "eip712Domain"].map(
    (name): Call => [`${name}()`, []],
  ),
  ["balanceOf(address)", [HOLDER]],
  ["allowance(address,address)", [HOLDER, PAYEE]],
  ["nonces(address)", [HOLDER]],
  ["authorizationState(address,bytes32)", [HOLDER, WORD]],
  ["isOperatorFor(address,address)", [PAYEE, HOLDER]],
  ["supportsInterface(bytes4)", ["0x01020304"]],
]

/** Some move everything, some nothing: the bytes do not say. */
const UNKNOWN: readonly Call[] = [
  [
    "permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)",
    [HOLDER, PAYEE, 0n, 9n, true, ...VRS],
  ],
  ["authorizeOperator(address)", [PAYEE]],
  ["setApprovalForAll(address,bool)", [PAYEE, true]],
  ["safeTransferFrom(address,address,uint256)", [HOLDER, PAYEE, VALUE]],
  ["safeTransferFrom(address,address,uint256,bytes)", [HOLDER, PAYEE, VALUE, "0x"]],
  ["safeTransfer(address,uint256)", [PAYEE, VALUE]],
  ["multicall(bytes[])", [[SIGNATURE]]],
  ["execute(bytes)", [SIGNATURE]],
  ["transferOwnership(address)", [PAYEE]],
  ["upgradeTo(address)", [PAYEE]],
  ["configureMinter(address,uint256)", [PAYEE, VALUE]],
  ["transferShares(address,uint256)", [PAYEE, VALUE]],
  ["deposit()", []],
  ["delegate(address)", [PAYEE]],
]

function encoded([declaration, values]: Call): string {
  const name = declaration.slice(0, declaration.indexOf("("))
  return new Interface([`function ${declaration}`]).encodeFunctionData(name, values)
}

/** A call of the token as each chain has it, and the control's asset there. */
const CHAINS: {
  readonly [chain: string]: { asset: string; request: (data: string) => ReturnType<typeof signing> }
} = {
  ethereum: {
    asset: `eip155:1/erc20:${TOKEN}`,
    request: (data) => ethereum({ type: 2, chainId: 1, maxFeePerGas: 3n, to: TOKEN, data }),
  },
  "ethereum, before EIP-155": {
    asset: `eip155:1/erc20:${TOKEN}`,
    request: (data) => ethereum({ type: 0, gasPrice: 3n, to: TOKEN, data }),
  },
  tron: {
    asset: `tron:0x2b6653dc/trc20:${TRON_TOKEN}`,
    request: (data) => tron({ contract_address: `41${TOKEN.slice(2)}`, call_value: 0, data: data.slice(2) }),
  },
}

function ethereum(fields: object) {
  const { unsignedSerialized } = Transaction.from({ nonce: 1, gasLimit: 60_000n, ...fields })
  return signing("ETHEREUM", unsignedSerialized.slice(2))
}

function tron(value: object, type = "TriggerSmartContract") {
  const type_url = `type.googleapis.com/protocol.${type}`
  const parameter = { type_url, value: { owner_address: `41${"33".repeat(20)}`, ...value } }
  const bytes = writtenByTronweb({
    contract: [{ type, parameter }],
    ref_block_bytes: "c3e8",
    ref_block_hash: "e3b7e1a1c2d3f4e5",
    expiration: 1_893_456_060_000,
    timestamp: 1_893_456_000_000,
    fee_limit: 100_000_000,
    data: "",
  })
  return signing("TRON", bytes.toString("hex"))
}

const SETTINGS: readonly Setting[] = ["absent", "WITHOUT_LIMIT", "REFUSED"]
const COUNT = { method: "VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT" } as const
const UNIT = 10n ** 18n
/** Control of at most 1.5 tokens with 6 decimals, in units of 10^-18. */
const SMALLEST = 10n ** 12n
/** The largest threshold that a control can have. */
const LARGEST = { threshold: "9".repeat(38) }

for (const [chain, { asset, request }] of Object.entries(CHAINS)) {
  for (const setting of SETTINGS) {
    t.test(
      `V3: ${chain}, setting ${setting}: each known function counts its amount, and no other one passes`,
      async (t) => {
        for (const call of MOVING) {
          const reading = readingOf(request(encoded(call)), [asset], setting)
          t.equal(reading.added, VALUE * SMALLEST, call[0])
          t.equal(
            readingOf(request(encoded(call)), [asset], setting, COUNT).added,
            UNIT,
            `${call[0]}, counted`,
          )
        }
        for (const call of HARMLESS)
          t.equal(readingOf(request(encoded(call)), [asset], setting).added, 0n, call[0])
        t.equal(readingOf(request("0x"), [asset], setting).added, 0n, "no call")
        for (const data of [...UNKNOWN.map(encoded), "0x01", "0xa9059c"]) {
          for (const terms of [LARGEST, { ...LARGEST, ...COUNT }]) {
            const read = () => readingOf(request(data), [asset], setting, terms)
            if (setting === "REFUSED") t.throws(read, { code: "VELOCITY_CONTROL_AMOUNT_UNKNOWN" }, data)
            else
              t.match(
                read(),
                { value: false, unknownBy: /^(function 0x[0-9a-f]{8}|data without a function)$/ },
                data,
              )
          }
        }
      },
    )
  }

  t.test(`V3: ${chain}: a call of a token that the control does not list counts nothing`, async (t) => {
    const other = chain === "tron" ? "tron:x/slip44:195" : "eip155:1/slip44:60"
    for (const call of [...MOVING, ...UNKNOWN])
      t.equal(readingOf(request(encoded(call)), [other], "REFUSED").added, 0n, call[0])
  })
}

t.test("V3: no function of a compiled token that changes anything counts nothing", async (t) => {
  const folder = new URL(
    "../../../../../../node_modules/@openzeppelin/contracts/build/contracts/",
    import.meta.url,
  )
  const { asset, request } = CHAINS["ethereum"]!
  let changing = 0
  for (const name of ["Burnable", "Permit", "Votes", "Wrapper", "FlashMint", "TransferAuthorization"]) {
    const { abi } = JSON.parse(readFileSync(new URL(`ERC20${name}.json`, folder), "utf8"))
    const contract = new Interface(abi)
    contract.forEachFunction((fragment) => {
      // Words of 1: each argument is small and not 0.
      const data = fragment.selector + "1".padStart(64, "0").repeat(8)
      const { added } = readingOf(request(data), [asset])
      if (fragment.constant || fragment.name === "cancelAuthorization") return
      changing += 1
      t.ok(added > 0n, `${name}: ${fragment.format()}`)
    })
  }
  t.ok(changing > 20)
})

t.test("a contract that is created counts its value, whatever its code begins with", async (t) => {
  const data = encoded(["transfer(address,uint256)", [PAYEE, VALUE]])
  const created = ethereum({ type: 2, chainId: 1, maxFeePerGas: 3n, value: 5n, data })
  t.equal(readingOf(created, ["eip155:1/slip44:60"], "REFUSED").added, 5n * SMALLEST)
  t.equal(readingOf(created, [`eip155:1/erc20:${TOKEN}`], "REFUSED").added, 0n)
})

t.test("V3: an update of an account's permissions on Tron gives away all that it has", async (t) => {
  const key = { address: `41${"22".repeat(20)}`, weight: 1 }
  const owner = { permission_name: "owner", threshold: 1, keys: [key] }
  const update = tron({ owner, actives: [] }, "AccountPermissionUpdateContract")
  for (const asset of ["tron:x/slip44:195", `tron:x/trc20:${TRON_TOKEN}`]) {
    t.match(readingOf(update, [asset]), { value: false, unknownBy: "AccountPermissionUpdateContract" })
    t.throws(() => readingOf(update, [asset], "REFUSED"), { code: "VELOCITY_CONTROL_AMOUNT_UNKNOWN" })
  }
  const frozen = tron({ frozen_balance: 5, resource: "ENERGY" }, "FreezeBalanceV2Contract")
  t.equal(readingOf(frozen, ["tron:x/slip44:195"], "REFUSED").added, 0n)
})
