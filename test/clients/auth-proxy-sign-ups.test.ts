// Sign-ups by code through the auth proxy, by the running processes, with the messages that @turnkey/core signs.
import { verifySessionJwtSignature } from "@turnkey/crypto"
import t from "tap"
import { apiKey } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { newKey } from "../harness/stamper.ts"
import { clientSignature } from "../harness/verification.ts"
import { EMPTY, loginBody, older, signUpBody } from "./client-messages.ts"
import { proxiedSystem } from "./proxied-system.ts"
import { httpOf, sdkOf } from "./published.ts"

const UNSIGNED = { status: 400, json: { message: /^invalid client signature/ } }

t.test("sign-ups by code:", async (t) => {
  const { system, provider, organizationId, root, post, done, ...proxied } = await proxiedSystem()
  const { plainToken, sealedToken, notarizerKey } = proxied
  const account = (filterValue: string) => done("account", { filterType: "EMAIL", filterValue })

  t.test("a code signs up with empty lists, and logs in to the new organization", async (t) => {
    for (const [version, contact, tokenFor] of [
      ["", "ann@example.com", plainToken],
      ["_v2", "bea@example.com", sealedToken],
    ] as const) {
      const key = newKey()
      const token = await tokenFor(contact, key)
      const asked = { filterType: "EMAIL", filterValue: contact, verificationToken: token }
      t.same(await done("account", asked), {}, "nobody has the contact yet")
      const wallet = { walletName: "w", accounts: [] }
      const signed = { ...signUpBody(token, key, contact), wallet }
      const body = version === "" ? older(signed, key) : signed
      const made = await done(`signup${version}`, body)
      t.match(made, { wallet: { walletId: /./ } })
      const there = { organizationId: made["organizationId"]! }
      t.same(await account(contact), there)
      t.same(await account(contact.toUpperCase()), there, "in any case")
      const { session } = await done(`otp_login${version}`, loginBody(token, key))
      t.ok(await verifySessionJwtSignature(session!, notarizerKey))
      t.match(await httpOf(system, key).getWhoami(there), { ...there, userId: made["userId"] })
      t.match(await post(`signup${version}`, body), {
        status: 401,
        json: { message: /^this verification token has verified a contact before/ },
      })
    }
  })

  t.test("the second version takes no token of a code in clear", async (t) => {
    const key = newKey()
    const body = signUpBody(await plainToken("cleo@example.com", key), key, "cleo@example.com")
    t.match(await post("signup_v2", body), { status: 400, json: { message: /tokens of sealed codes alone/ } })
    t.match(await done("signup", body), { organizationId: /./ })
  })

  t.test("A8: a member that is added, exchanged or left out on the way is refused", async (t) => {
    const [key, attacker] = [newKey(), newKey()]
    const contact = "dan@example.com"
    const token = await sealedToken(contact, key)
    const body = signUpBody(token, key, contact)
    const oidcToken = await provider.idToken("app", "eve", "any")
    const extras = {
      "an API key": { apiKeys: [apiKey(attacker)] },
      "a passkey": { authenticators: [new Passkey().create()] },
      "an identity": { oauthProviders: [{ providerName: "idp", oidcToken }] },
      "a phone number": { userPhoneNumber: "+15551234567" },
      "another address": { userEmail: "eve@example.com" },
      "no address": { userEmail: undefined },
      "another key's signature": {
        clientSignature: clientSignature(attacker, body.clientSignature.message),
      },
      "no signature": { clientSignature: undefined },
      "a changed text": {
        clientSignature: { ...body.clientSignature, message: `${body.clientSignature.message} ` },
      },
    }
    for (const [what, changes] of Object.entries(extras)) {
      t.match(await post("signup_v2", { ...body, ...changes }), UNSIGNED, what)
      t.match(await post("signup", { ...body, ...changes }), UNSIGNED, what)
    }
    const forged = `${token.slice(0, -6)}AAAAAA`
    t.match(await post("signup_v2", { ...body, verificationToken: forged }), {
      status: 401,
      json: { message: /^invalid verification token/ },
    })
    t.same(await account(contact), {})
    const own = { ...EMPTY, apiKeys: [apiKey(newKey())] }
    t.match(await done("signup_v2", signUpBody(token, key, contact, own)), { organizationId: /./ }, "signed")
    t.match(await post("signup_v2", { userName: "nobody", ...EMPTY }), {
      status: 400,
      json: { message: /can log in now$/ },
    })
  })

  t.test("a second organization with the same contact makes logins name theirs", async (t) => {
    const contact = "fay@example.com"
    const made: string[] = []
    for (const key of [newKey(), newKey()]) {
      const body = signUpBody(await sealedToken(contact, key), key, contact)
      made.push((await done("signup_v2", body))["organizationId"]!)
    }
    const conflict = { status: 401, json: { turnkeyErrorCode: "CREDENTIAL_CONFLICT" } }
    t.match(await post("account", { filterType: "EMAIL", filterValue: contact }), conflict)
    const key = newKey()
    const login = loginBody(await sealedToken(contact, key), key)
    t.match(await post("otp_login_v2", login), conflict)
    t.match(await done("otp_login_v2", { ...login, organizationId: made[1] }), { session: /^eyJ/ })
  })

  t.test("the server's SDK signs up with a token, and look-ups follow proven contacts", async (t) => {
    const sdk = sdkOf(system, organizationId, root)
    const key = newKey()
    const [first, second] = ["gus@example.com", "gus@elsewhere.example"]
    const token = await sealedToken(first, key)
    const {
      userName,
      userEmail,
      verificationToken,
      clientSignature: signature,
    } = signUpBody(token, key, first)
    const { subOrganizationId, rootUserIds } = await sdk.createSubOrganization({
      subOrganizationName: "Gus",
      rootUsers: [{ userName, userEmail, ...EMPTY }],
      rootQuorumThreshold: 1,
      verificationToken,
      clientSignature: signature as never,
    })
    const found = async (filterValue: string) => {
      const filter = { organizationId, filterType: "EMAIL", filterValue }
      const { organizationIds: verified } = await sdk.getVerifiedSubOrgIds(filter)
      const { organizationIds: all } = await sdk.getSubOrgIds(filter)
      return [verified, all].map((ids) => ids.includes(subOrganizationId))
    }
    t.same(await found(first), [true, true])
    await done("otp_login_v2", loginBody(token, key))
    const asGus = sdkOf(system, subOrganizationId, key)
    const userId = rootUserIds![0]!
    await asGus.updateUserEmail({ userId, userEmail: second })
    t.same(
      [await found(first), await found(second)],
      [
        [false, false],
        [false, true],
      ],
    )
    const proof = await sealedToken(second, newKey())
    await asGus.updateUserEmail({ userId, userEmail: second, verificationToken: proof })
    t.same(await found(second), [true, true])
    const { user } = await asGus.getUser({ userId })
    t.equal(user.userEmail, second)
  })
})
