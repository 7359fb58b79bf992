// Sessions that the service makes itself, opened by a published client.
import { createECDH } from "node:crypto"
import { decryptCredentialBundle } from "@turnkey/crypto"
import { Turnkey } from "@turnkey/sdk-server"
import { apiKey, userParams } from "../../harness/api-client.ts"
import { newKey, type Stamper } from "../../harness/stamper.ts"
import { subOrganization } from "../../harness/sub-organization.ts"
import { privateKeyHex } from "../../harness/system.ts"
import type { Sequence } from "./sequence.ts"

type Opened = { session: string; sessionExpiry: string }

export const madeSessions: Sequence = {
  title: "sessions that the service makes",
  // The API takes the connection's address for the caller's.
  settings: {},
  run: async (t, api) => {
    const { system, submit, organizationId, root, rootUserId } = api
    const clientOf = (publicKey: string, privateKey: string) =>
      new Turnkey({
        apiBaseUrl: system.url,
        apiPublicKey: publicKey,
        apiPrivateKey: privateKey,
        defaultOrganizationId: organizationId,
      }).apiClient()
    const opened = async (key: Stamper, at = organizationId) =>
      (await submit("CREATE_READ_ONLY_SESSION", {}, { key, organizationId: at })) as unknown as Opened
    const send = (path: string, body: object | string, headers: Record<string, string>) =>
      system.send(`/public/v1/${path}`, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers,
      })
    const read = (session: string, path = "whoami", parameters: object = {}) =>
      send(`query/${path}`, { organizationId, ...parameters }, { "x-session": session })
    const user = async (userName: string, key = newKey()) => {
      const { userIds } = await submit("CREATE_USERS_V3", { users: [userParams(userName, key)] })
      return { userId: (userIds as string[])[0]!, key }
    }

    t.test("a published client opens a read-write session and stamps with its key", async (t) => {
      const target = createECDH("prime256v1")
      const targetPublicKey = target.generateKeys("hex")
      const client = clientOf(root.publicKeyHex, privateKeyHex(root))
      const { activity: _, ...reply } = await client.createReadWriteSession({ targetPublicKey })
      t.match(reply, { organizationId, organizationName: "Acme", userId: rootUserId, username: "root" })
      const scalar = decryptCredentialBundle(
        reply.credentialBundle,
        target.getPrivateKey("hex").padStart(64, "0"),
      )
      const own = createECDH("prime256v1")
      own.setPrivateKey(scalar, "hex")
      const session = clientOf(own.getPublicKey("hex", "compressed"), scalar)
      t.match(await session.getWhoami({}), { userId: rootUserId })
      t.match(await session.createWallet({ walletName: "W", accounts: [] }), { walletId: /^[0-9a-f-]{36}$/ })
      const { apiKeys } = await client.getApiKeys({ userId: rootUserId })
      const type = "CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256"
      t.match(
        apiKeys.find(({ apiKeyId }) => apiKeyId === reply.apiKeyId),
        { credential: { type }, expirationSeconds: "900" },
      )
      const { userId } = await user("mail")
      await submit("UPDATE_USER_EMAIL", { userId, userEmail: "m@example.com" })
      const asked = { email: "m@example.com", targetPublicKey }
      t.match(await submit("CREATE_READ_WRITE_SESSION", asked), { userId })
      await submit("CREATE_READ_WRITE_SESSION_V2", { targetPublicKey, userId })
    })

    t.test(
      "a published client opens a read-only session, and X-Session reads its organization",
      async (t) => {
        const client = clientOf(root.publicKeyHex, privateKeyHex(root))
        const { session, sessionExpiry, userId } = await client.createReadOnlySession({})
        t.equal(userId, rootUserId)
        const leftMs = Number(sessionExpiry) * 1000 - Date.now()
        t.ok(leftMs > 3_000_000 && leftMs <= 3_600_000, "an hour")
        t.match(await read(session), { status: 200, json: { userId: rootUserId, organizationId } })
        t.match(await read(session, "list_wallets"), {
          status: 200,
          json: { wallets: [{ walletName: "W" }] },
        })
      },
    )

    t.test("A5: a read-only session submits nothing", async (t) => {
      const { session } = await opened(root)
      const parameters = { walletName: "Stolen", accounts: [] }
      const body = system.body("CREATE_WALLET", organizationId, parameters)
      for (const headers of [{ "x-session": session }, { "x-session": "x" }]) {
        const reply = await send("submit/create_wallet", body, headers)
        t.match(reply, { status: 401, json: { turnkeyErrorCode: "SIGNATURE_MISSING" } })
        t.match(reply.json["message"], /X-Session is for queries; stamp activities/)
      }
      const beside = { "x-session": session }
      t.match(
        await system.post("submit/create_wallet", body, newKey(), beside),
        { status: 401 },
        "a stranger's stamp",
      )
      t.match(
        await system.post("submit/create_wallet", body, root, beside),
        { status: 200 },
        "the user's own stamp",
      )
    })

    t.test("A8: a read-only session reads one organization", async (t) => {
      const { session } = await opened(root)
      const other = await system.createOrganization("Other")
      const key = newKey()
      const parameters = subOrganization([{ name: "root", key }], { wallet: undefined })
      const { subOrganizationId } = await submit("CREATE_SUB_ORGANIZATION_V7", parameters)
      const elsewhere = { status: 401, json: { turnkeyErrorCode: "ORGANIZATION_MISMATCH" } }
      t.match(await read(session, "whoami", { organizationId: other.organizationId }), elsewhere)
      t.match(
        await read(session, "list_wallets", { organizationId: subOrganizationId }),
        elsewhere,
        "its child",
      )
      const ofChild = await opened(key, String(subOrganizationId))
      t.match(await read(ofChild.session), elsewhere, "its parent")
      const own = { organizationId: subOrganizationId }
      t.match(await read(ofChild.session, "whoami", own), { status: 200, json: own })
      const ofTheChild = { key, organizationId: String(subOrganizationId) }
      await submit("DELETE_SUB_ORGANIZATION", { deleteWithoutExport: true }, ofTheChild)
      t.match(await read(ofChild.session, "whoami", own), { status: 400, json: {} }, "once it is deleted")
    })

    t.test(
      "A4: a read-only session ends with its credential and with its user, and texts are not made up",
      async (t) => {
        const ended = { status: 401, json: { message: /^ended read-only session/ } }
        const first = newKey()
        const alice = await user("alice", first)
        const second = newKey()
        const added = { userId: alice.userId, apiKeys: [apiKey(second, "second")] }
        const { apiKeyIds } = await submit("CREATE_API_KEYS_V2", added)
        const [byFirst, bySecond] = [await opened(first), await opened(second)]
        t.match(await read(bySecond.session), { status: 200, json: { userId: alice.userId } })
        await submit("DELETE_API_KEYS", { userId: alice.userId, apiKeyIds })
        t.match(await read(bySecond.session), ended, "without the key")
        t.match(await read(byFirst.session), { status: 200 }, "another key's session goes on")
        await submit("DELETE_USERS", { userIds: [alice.userId] })
        t.match(await read(byFirst.session), ended, "without the user")
        const bob = await user("bob", first)
        t.match(await read(byFirst.session), ended, "the key is another user's now")
        t.match(await read((await opened(first)).session), { status: 200, json: { userId: bob.userId } })

        const session = newKey()
        await submit("STAMP_LOGIN", { publicKey: session.publicKeyHex })
        const inSession = await opened(session)
        t.match(await read(inSession.session), { status: 200 })
        await submit("STAMP_LOGIN", { publicKey: newKey().publicKeyHex, invalidateExisting: true })
        t.match(await read(inSession.session), ended, "its session was ended")

        const { session: text } = await opened(root)
        const [header = "", payload = "", signature = ""] = text.split(".")
        const invalid = { status: 401, json: { message: /^invalid read-only session in X-Session/ } }
        for (const other of [
          `${header}.${payload}.${"A".repeat(86)}`,
          `${text}, ${text}`,
          `${header}..${signature}`,
        ])
          t.match(await read(other), invalid)
      },
    )

    t.test(
      "the text of a read-only session is shown to its user alone, and to nobody by such a session",
      async (t) => {
        const { key } = await user("carol")
        const body = system.body("CREATE_READ_ONLY_SESSION", organizationId, {})
        const made = await system.submit("create_read_only_session", body, key)
        const { session } = (made["result"] as { createReadOnlySessionResult: Opened })
          .createReadOnlySessionResult
        const asked = { organizationId, activityId: made["id"] }
        const shownTo = (result: string) => ({
          status: 200,
          json: {
            activity: { result: { createReadOnlySessionResult: { username: "carol", session: result } } },
          },
        })
        t.match(await system.query("get_activity", asked, key), shownTo(session))
        t.match(await system.query("get_activity", asked, root), shownTo(""))
        t.match(await read(session, "get_activity", { activityId: made["id"] }), shownTo(""))
        const list = await system.query("list_activities", { organizationId }, root)
        t.notMatch(list.text, session)
        t.same(
          (await system.submit("create_read_only_session", body, key))["result"],
          made["result"],
          "sent again",
        )
      },
    )

    t.test("an organization's IP allowlist holds for its read-only sessions", async (t) => {
      const dave = await user("dave")
      const [ofDave, ofRoot] = [await opened(dave.key), await opened(root)]
      const setList = (parameters: object) => submit("SET_IP_ALLOWLIST", parameters)
      await setList({ enabled: true, rules: [{ cidr: "127.0.0.0/24" }, { cidr: "::1/128" }] })
      const { publicKeyHex: publicKey } = dave.key
      await setList({ publicKey, rules: [{ cidr: "192.0.2.0/24" }] })
      t.match(await read(ofRoot.session), { status: 200 })
      t.match(await read(ofDave.session), { status: 403 }, "the list of the key that opened it")
    })
  },
}
