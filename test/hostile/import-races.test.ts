import t from "tap"
import { ethereumAccount, type Answer } from "../harness/api-client.ts"
import { Importer, sealText } from "../harness/bundles.ts"
import { stampWith } from "../harness/stamper.ts"
import { asRoot, refused, setup } from "./setup.ts"

const WORDS = `${"abandon ".repeat(11)}about`

const isOutcome = ({ is }: Answer) => is === "outcome"

t.test("B4: a new import key requested during an import ends the older key, in either order", async (t) => {
  for (const isNewFirst of [true, false]) {
    const fixture = await setup(t)
    const { client, acme } = fixture
    const importer = new Importer(fixture)
    const { userId } = importer.whose
    const parameters = await importer.wallet("Mine", WORDS)
    const send = (type: string, request: object) => {
      const body = client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, request)
      return client.offer(body, stampWith(acme.root, body))
    }
    const orders = [["INIT_IMPORT_WALLET", { userId }] as const, ["IMPORT_WALLET", parameters] as const]
    const inTurn = isNewFirst ? orders : orders.toReversed()
    const answers = await Promise.all(inTurn.map(([type, request]) => send(type, request)))
    t.equal(answers.filter(isOutcome).length, isNewFirst ? 1 : 2)
    const again = () => asRoot(fixture).attempt("IMPORT_WALLET", { ...parameters, walletName: "Again" })
    await refused(t, fixture, "BUNDLE_BROKEN", again, "the older key opens nothing any more")
    t.match(await asRoot(fixture).attempt("IMPORT_WALLET", await importer.wallet("New", WORDS)), {
      is: "outcome",
    })
  }
})

t.test(
  "B4: of two users who import the same mnemonic at once one succeeds; the other keeps their import key",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme } = fixture
    const { organizationId, root, rootUserId } = acme
    const alice = await client.user(acme, "alice")
    const quorum = { threshold: 1, userIds: [rootUserId, alice.userId] }
    await client.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, quorum)
    const people = [
      { importer: new Importer(fixture), key: root },
      { importer: new Importer(fixture, alice), key: alice.key },
    ]
    const tries = await Promise.all(
      people.map(async ({ importer, key }, index) => {
        const importBundle = await importer.walletTarget()
        const parametersOf = async (text: string) => ({
          userId: importer.whose.userId,
          walletName: `of ${index}`,
          encryptedBundle: await sealText(text, importBundle, importer.whose),
          accounts: [ethereumAccount(0)],
        })
        const importing = async (text: string) => {
          const body = client.body("ACTIVITY_TYPE_IMPORT_WALLET", organizationId, await parametersOf(text))
          return () => client.send(body, key)
        }
        return { same: await importing(WORDS), other: await importing(`${WORDS}\nhis own`) }
      }),
    )
    const answers = await Promise.all(tries.map(({ same }) => same()))
    t.equal(answers.filter(isOutcome).length, 1)
    const loser = tries[answers.findIndex((answer) => !isOutcome(answer))]
    t.match(
      answers.find((answer) => !isOutcome(answer)),
      { code: "ACCOUNT_TAKEN" },
    )
    t.match(await loser?.other(), { is: "outcome" }, "the other user's import key is still valid")
  },
)
