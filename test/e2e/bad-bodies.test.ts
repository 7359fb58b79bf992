// Replies to malformed request bodies.
import t from "tap"
import { ethereumAccount } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { type Expected, GRPC_INVALID, invalid, NIL, setup } from "./refusals.ts"

const SIGN = "submit/sign_raw_payload"
const WALLET = "submit/create_wallet"
/** The refusal of a body over the limit of its operation. */
const tooLarge = (bytes: number): Expected => ({
  status: 413,
  code: GRPC_INVALID,
  publicCode: "REQUEST_INVALID",
  reason: "REQUEST_TOO_LARGE",
  message: new RegExp(`bad request body: it is longer than ${bytes} bytes`),
})

t.test("malformed request bodies", async (t) => {
  const { system, organizationId, root, solana, stored, sign, wallet, stamped, refusals } = await setup(t)

  refusals("refuses a body with no reading, or more than one", {
    "cut short": [
      () => stamped(WALLET, wallet().slice(0, -1)),
      malformed(/a comma or a closing brace is expected/),
    ],
    empty: [() => stamped(WALLET, ""), malformed(/the JSON ends early/)],
    "no JSON": [() => stamped(WALLET, "walletName=New"), malformed(/a value is expected/)],
    "half a character": [
      () => stamped(WALLET, wallet("\ud800")),
      malformed(/a string holds half a surrogate pair/),
    ],
    "no UTF-8": [
      () => sentBytes(Buffer.from(wallet("\u00e9"), "latin1")),
      malformed(/the bytes are not valid UTF-8/),
    ],
    "a list": [
      () => stamped(WALLET, "[]"),
      invalid(/bad request body: it is not a JSON object/, undefined, "REQUEST_MALFORMED"),
    ],
    "a trailing comma": [
      () => stamped(WALLET, wallet().replace(/}$/, ",}")),
      malformed(/a member name is expected/),
    ],
    "a member twice": [
      () => stamped(WALLET, wallet().replace("{", '{"type":"ACTIVITY_TYPE_CREATE_WALLET",')),
      malformed(/a member name occurs twice in one object/),
    ],
    "a member twice, once escaped": [
      () => stamped(WALLET, wallet().replace("{", '{"\\u0074ype":"x",')),
      malformed(/a member name occurs twice in one object/),
    ],
    "a member twice, deep": [
      () => stamped(WALLET, wallet().replace('"walletName"', '"walletName":"a","walletName"')),
      malformed(/a member name occurs twice in one object/),
    ],
    "deeply nested": [
      () => stamped(WALLET, `${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`),
      malformed(/the JSON is nested too deeply/),
    ],
    "malformed, in a query": [() => stamped("query/whoami", "{"), malformed(/a member name is expected/)],
    "malformed, to be signed": [() => stamped(SIGN, `${sign()}}`), malformed(/text follows the JSON value/)],
  })

  function sentBytes(body: Buffer) {
    const headers = { "x-stamp": stampWith(root, body) }
    return system.send(`/public/v1/${WALLET}`, { method: "POST", body: new Uint8Array(body), headers })
  }

  refusals("refuses a body over the limit", {
    signature: [() => stamped(SIGN, sign({ payload: "00".repeat(512 * 1024) })), tooLarge(1024 * 1024)],
    change: [() => stamped(WALLET, wallet("x".repeat(1024 * 1024))), tooLarge(512 * 1024)],
    query: [
      () => stamped("query/whoami", JSON.stringify({ organizationId, padding: "x".repeat(1024 * 1024) })),
      tooLarge(64 * 1024),
    ],
  })

  refusals("refuses what does not belong to path, type or organization", {
    "another path's type": [
      () => stamped("submit/create_users", wallet()),
      invalid(/type does not belong to this path, which takes ACTIVITY_TYPE_CREATE_USERS_V2, /, "type"),
    ],
    "an unknown type": [
      () => stamped(WALLET, wallet().replace("CREATE_WALLET", "CREATE_ANYTHING")),
      invalid(
        /type is not an activity type; this path takes ACTIVITY_TYPE_CREATE_WALLET$/,
        "type",
        "ACTIVITY_TYPE_UNKNOWN",
      ),
    ],
    "no type": [
      () => stamped(WALLET, wallet().replace(/"type":"\w+",/, "")),
      invalid(/missing field `type`/, "type"),
    ],
    "an unknown organization": [
      () => stamped(WALLET, wallet().replace(organizationId, NIL)),
      invalid(/no organization found with the given ID/, "organizationId", "ORGANIZATION_UNKNOWN"),
    ],
    "an organization id that is none": [
      () => stamped(WALLET, wallet().replace(organizationId, "acme")),
      invalid(/malformed organization ID provided/, "organizationId", "INVALID_ORGANIZATION_ID"),
    ],
    "an empty organization id": [
      () => stamped(WALLET, wallet().replace(organizationId, "")),
      invalid(
        /organizationId is empty: is ORGANIZATION_ID set\?/,
        "organizationId",
        "INVALID_ORGANIZATION_ID",
      ),
    ],
    "an empty organization id, in a query": [
      () => system.query("whoami", { organizationId: "" }, root),
      invalid(
        /organizationId is empty: is ORGANIZATION_ID set\?/,
        "organizationId",
        "INVALID_ORGANIZATION_ID",
      ),
    ],
    "an organization id that is none, in a query": [
      () => system.query("whoami", { organizationId: "acme" }, root),
      invalid(/malformed organization ID/, "organizationId", "INVALID_ORGANIZATION_ID"),
    ],
    "an organization id that is no text, in a query": [
      () => system.query("whoami", { organizationId: 7 }, root),
      invalid(/organizationId/, "organizationId"),
    ],
    "an unknown organization in a query": [
      () => system.query("whoami", { organizationId: NIL }, root),
      invalid(/no organization found with the given ID/, "organizationId", "ORGANIZATION_UNKNOWN"),
    ],
  })

  const account = (change: object) =>
    system.body("CREATE_WALLET", organizationId, {
      walletName: "A",
      accounts: [{ ...ethereumAccount(0), ...change }],
    })
  refusals("names the member at fault", {
    missing: [
      () => stamped(SIGN, sign().replace(/"signWith":"\w+",/, "")),
      invalid(/missing field `parameters.signWith`/, "parameters.signWith"),
    ],
    misspelt: [
      () => stamped(SIGN, sign().replace('"hashFunction"', '"hashFunc"')),
      invalid(/missing field `parameters.hashFunction` \(`hashFunc` is unknown\)/, "parameters.hashFunction"),
    ],
    "misspelt, beside the parameters": [
      () => stamped(WALLET, wallet().replace('"timestampMs"', '"timestampMS"')),
      invalid(/`timestampMS` is unknown; did you mean `timestampMs`\?/, "timestampMS"),
    ],
    "missing, deep": [
      () => stamped(WALLET, account({}).replace(/"curve":"\w+",/, "")),
      invalid(/missing field `parameters.accounts\[0\].curve`/, "parameters.accounts[0].curve"),
    ],
    "missing parameters": [
      () => stamped(WALLET, wallet().replace(/,"parameters".*/, "}")),
      invalid(/missing field `parameters`/, "parameters"),
    ],
    "an unknown enum": [
      () => stamped(WALLET, account({ curve: "CURVE_MOON" })),
      invalid(/must be one of CURVE_SECP256K1, CURVE_ED25519, CURVE_P256/, "parameters.accounts[0].curve"),
    ],
    "an enum as a number": [
      () => stamped(WALLET, account({ curve: 1 })),
      invalid(/must be one of CURVE_SECP256K1, CURVE_ED25519, CURVE_P256/, "parameters.accounts[0].curve"),
    ],
    "a string for a list": [
      () => stamped(WALLET, wallet().replace("[]", '""')),
      invalid(/must be a list/, "parameters.accounts"),
    ],
    "a missing member of a query": [
      () => system.query("get_wallet", { organizationId }, root),
      invalid(/missing field `walletId`/, "walletId"),
    ],
  })

  const digest = (length: number) => "00".repeat(length)
  const wrongLength = (length: number, field = "parameters.payload") =>
    invalid(
      new RegExp(`expected a 32-bytes-long digest, got ${length} bytes`),
      field,
      "DIGEST_LENGTH_INVALID",
    )
  const wrongHash = (curve: string, hashes: string) =>
    invalid(
      new RegExp(`invalid hash function: ${curve} needs ${hashes}$`),
      "parameters.hashFunction",
      "HASH_FUNCTION_INVALID",
    )
  const forSecp256k1 = wrongHash(
    "CURVE_SECP256K1",
    "HASH_FUNCTION_NO_OP, HASH_FUNCTION_SHA256, HASH_FUNCTION_KECCAK256",
  )
  const forEd25519 = wrongHash("CURVE_ED25519", "HASH_FUNCTION_NOT_APPLICABLE")
  const several = (lengths: number[]) => {
    const { parameters } = JSON.parse(sign()) as { parameters: { payload?: string } }
    const { payload: _payload, ...rest } = parameters
    return system.body("SIGN_RAW_PAYLOADS", organizationId, { ...rest, payloads: lengths.map(digest) })
  }
  refusals("refuses to sign what does not fit", {
    "31 bytes for NO_OP": [() => stamped(SIGN, sign({ payload: digest(31) })), wrongLength(31)],
    "33 bytes for NO_OP": [() => stamped(SIGN, sign({ payload: digest(33) })), wrongLength(33)],
    "31 bytes for NO_OP, among others": [
      () => stamped("submit/sign_raw_payloads", several([32, 31])),
      wrongLength(31, "parameters.payloads[1]"),
    ],
    "no hexadecimal": [
      () => stamped(SIGN, sign({ payload: "zz" })),
      invalid(
        /invalid payload encoding: the payload is not hexadecimal/,
        "parameters.payload",
        "PAYLOAD_INVALID",
      ),
    ],
    "NOT_APPLICABLE for secp256k1": [
      () => stamped(SIGN, sign({ hashFunction: "HASH_FUNCTION_NOT_APPLICABLE" })),
      forSecp256k1,
    ],
    "NO_OP for Ed25519": [() => stamped(SIGN, sign({ signWith: solana })), forEd25519],
    "SHA256 for Ed25519": [
      () => stamped(SIGN, sign({ signWith: solana, hashFunction: "HASH_FUNCTION_SHA256" })),
      forEd25519,
    ],
    "KECCAK256 for Ed25519": [
      () => stamped(SIGN, sign({ signWith: solana, hashFunction: "HASH_FUNCTION_KECCAK256" })),
      forEd25519,
    ],
  })

  refusals("refuses pages that are none", {
    ...Object.fromEntries(
      ["0", "101", "-1", "1.5", "ten", " 1", "0x1"].map((limit) => [
        `limit ${limit}`,
        [
          () => listed({ limit }),
          invalid(/must be a whole number from 1 to 100, in decimal digits/, "paginationOptions.limit"),
        ],
      ]),
    ),
    "an unknown cursor": [
      () => listed({ after: NIL }),
      invalid(/is not the id of an object in this list/, "paginationOptions.after"),
    ],
    "both cursors": [
      () => listed({ after: NIL, before: NIL }),
      invalid(/exclude each other/, "paginationOptions"),
    ],
  })
  function listed(paginationOptions: object) {
    return system.query("list_wallet_accounts", { organizationId, paginationOptions }, root)
  }

  t.test("the unaltered requests are accepted, and list what they created", async (t) => {
    const before = await stored()
    t.equal((await stamped(SIGN, sign())).status, 200)
    t.equal((await stamped(WALLET, wallet())).status, 200)
    t.equal((await listed({ limit: "100" })).status, 200)
    const after = await stored()
    t.not(after.database["activities"]?.rows, before.database["activities"]?.rows)
    t.not(after.database["records"]?.digest, before.database["records"]?.digest)
    t.not(after.ledger["entry"]?.rows, before.ledger["entry"]?.rows)
    t.not(after.ledger["organization"]?.digest, before.ledger["organization"]?.digest)
  })
})

/** A body that cannot be read at all. */
function malformed(fault: RegExp): Expected {
  const message = new RegExp(`bad request body: it is not strict JSON: .*${fault.source}`)
  return invalid(message, undefined, "REQUEST_MALFORMED")
}
