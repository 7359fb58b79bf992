// Approvers see of a token or of a passkey's statement the value that counts, or nothing.
import t from "tap"
import { tokenFacts } from "../../../../signer/core/words/tokens.ts"

const encode = (text: string | Uint8Array) => Buffer.from(text).toString("base64url")
const tokenOf = (payload: string) => `${encode("{}")}.${payload}.${encode("signature")}`
const factsOf = (payload: string) => tokenFacts("oidcToken", tokenOf(payload))

t.test("claims of a token, and members of client data, are shown", async (t) => {
  const claims = encode('{"iss":"https://a.example","sub":"1","aud":["x","y"],"other":1}')
  t.match(factsOf(claims), [
    { name: "iss", value: "https://a.example" },
    { name: "sub", value: "1" },
    { name: "aud", value: /x.*y/ },
  ])
  t.equal(factsOf(claims).length, 3)
  const statement = encode('{"type":"webauthn.create","origin":"https://a.example","challenge":"YQ"}')
  t.strictSame(
    tokenFacts("clientDataJson", statement).map(({ name }) => name),
    ["type", "origin", "challenge"],
  )
  t.strictSame(tokenFacts("name", statement), [])
  t.strictSame(tokenFacts("oidcToken", 1), [])
})

t.test(
  "C-1888: of a text that the signer does not read, approvers are shown no part as its claims",
  async (t) => {
    const sound = '{"email":"alice@example.com"}'
    t.equal(factsOf(encode(sound)).length, 1)
    for (const [what, payload] of [
      ["a claim twice", encode('{"email":"alice@example.com","email":"mallory@example.com"}')],
      [
        "a claim twice by an escape",
        encode('{"email":"alice@example.com","\\u0065mail":"mallory@example.com"}'),
      ],
      [
        "a byte that is no UTF-8",
        encode(Buffer.concat([Buffer.from('{"email":"'), Buffer.of(0xff), Buffer.from('"}')])),
      ],
      ["half a surrogate", encode('{"email":"\\ud800"}')],
      ["another spelling of base64url", `${encode(sound)}A`],
      ["a list", encode("[1]")],
      ["no JSON", encode("{")],
    ] as const)
      t.strictSame(factsOf(payload), [], what)
    const twice = encode('{"origin":"https://a.example","origin":"https://b.example"}')
    t.strictSame(tokenFacts("clientDataJson", twice), [])
  },
)
