// Features and flags that switch login methods by mail and text message: each that is declared has an effect.
import type { DescMessage } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { activityTypes } from "../../../../../proto/catalog.ts"
import { FeatureNameSchema } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Tenant } from "../../../../harness/api-client.ts"
import { Target } from "../../../../harness/credential-target.ts"
import { mailTo } from "../../../../harness/mailed-keys.ts"
import { asking } from "../../../../harness/otp.ts"
import { newKey } from "../../../../harness/stamper.ts"
import { subOrganization } from "../../../../harness/sub-organization.ts"
import { asRoot, type Fixture, setup } from "../../../../hostile/setup.ts"

/** A request of a root user with an address: an activity that runs with the switch in one position alone. */
type Switch = {
  /** Member of create_sub_organization that leaves the feature out; undefined: there is none. */
  flag: string | undefined
  asks: (email: string) => [type: string, parameters: object]
  /** Refusal in the other position. */
  code: string
  /** Position in which the activity runs: with the feature, unless this is true. */
  isBan?: true
  /** The feature is for the organizations at the top of a family alone. */
  isOfTop?: true
}

const SWITCHES: { readonly [feature: string]: Switch } = {
  FEATURE_NAME_OTP_EMAIL_AUTH: {
    flag: "disableOtpEmailAuth",
    asks: (contact) => ["INIT_OTP_V3", asking({ contact })],
    code: "OTP_DISABLED",
  },
  FEATURE_NAME_SMS_AUTH: {
    flag: "disableSmsAuth",
    asks: () => ["INIT_OTP_V3", asking({ otpType: "OTP_TYPE_SMS", contact: nextNumber() })],
    code: "OTP_DISABLED",
  },
  FEATURE_NAME_EMAIL_AUTH: {
    flag: "disableEmailAuth",
    asks: (email) => ["EMAIL_AUTH", mailTo(new Target(), { email })],
    code: "EMAIL_AUTH_DISABLED",
  },
  FEATURE_NAME_EMAIL_RECOVERY: {
    flag: "disableEmailRecovery",
    asks: (email) => ["INIT_USER_EMAIL_RECOVERY", mailTo(new Target(), { email })],
    code: "EMAIL_RECOVERY_DISABLED",
  },
  FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY: {
    flag: undefined,
    asks: (email) => ["INIT_USER_EMAIL_RECOVERY", mailTo(new Target(), { email })],
    code: "EMAIL_RECOVERY_DISABLED",
    isOfTop: true,
  },
  FEATURE_NAME_SEALED_OTP_ONLY: {
    flag: undefined,
    asks: (contact) => ["INIT_OTP_V2", asking({ contact })],
    code: "OTP_SEALED_ONLY",
    isBan: true,
  },
}

let contacts = 0
const nextAddress = () => `user${++contacts}@example.com`
const nextNumber = () => `+1555${String(1_000_000 + ++contacts)}`

/** Versions of create_sub_organization that this release serves, with their flags. */
const versions = [...activityTypes.values()]
  .filter(({ path, served }) => path === "create_sub_organization" && served)
  .map(({ type, intentSchema }) => ({ type, flags: flagsOf(intentSchema) }))

function flagsOf({ fields }: DescMessage): string[] {
  return fields.map(({ jsonName }) => jsonName).filter((name) => name.startsWith("disable"))
}

t.test("every feature and flag that is declared for mails, text messages and recovery is here", async (t) => {
  const declared = FeatureNameSchema.values.map(({ name }) => name)
  t.strictSame(
    declared.filter((name) => /EMAIL|SMS|OTP|RECOVERY/.test(name)).toSorted(),
    Object.keys(SWITCHES).toSorted(),
  )
  const flags = [...new Set(versions.flatMap((version) => version.flags))]
  const known = Object.values(SWITCHES).flatMap(({ flag }) => flag ?? [])
  t.strictSame(flags.toSorted(), known.toSorted())
  t.ok(versions.length >= 5)
})

/** Whether the root user's request runs now. */
async function position(
  t: Test,
  fixture: Fixture,
  { organization, email, feature, runs }: Asked,
): Promise<void> {
  const { asks, code } = SWITCHES[feature]!
  const [type, parameters] = asks(email)
  fixture.boundary.clock.pass(1)
  const answer = await asRoot({ client: fixture.client, acme: organization }).attempt(type, parameters)
  t.match(answer, runs ? { is: "outcome" } : { is: "refused", code }, `${feature}: ${runs ? "runs" : code}`)
}

type Asked = { organization: Tenant; email: string; feature: string; runs: boolean }

t.test("each feature switches an organization at the top of its family, both ways", async (t) => {
  const fixture = await setup(t)
  const { acme } = fixture
  const { submit } = asRoot(fixture)
  const codes = { name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: "" }
  for (const [feature, { isBan = false }] of Object.entries(SWITCHES)) {
    // Recovery of other users than those of the root quorum: test/signer/enclave/modules/login/email-recovery.test.ts.
    if (feature === "FEATURE_NAME_EMAIL_RECOVERY") continue
    const email = nextAddress()
    await submit("UPDATE_USER_EMAIL", { userId: acme.rootUserId, userEmail: email })
    if (isBan) await submit("SET_ORGANIZATION_FEATURE", codes)
    const asked = { organization: acme, email, feature }
    await position(t, fixture, { ...asked, runs: isBan })
    await submit("SET_ORGANIZATION_FEATURE", { name: feature, value: "" })
    await position(t, fixture, { ...asked, runs: !isBan })
    await submit("REMOVE_ORGANIZATION_FEATURE", { name: feature })
    await position(t, fixture, { ...asked, runs: isBan })
  }
})

for (const { type, flags } of versions) {
  t.test(`${type}: each flag leaves out its feature alone, which can be set later`, async (t) => {
    const fixture = await setup(t)
    const switches = Object.entries(SWITCHES).filter(([, { isBan, isOfTop }]) => !isBan && !isOfTop)
    for (const flag of [undefined, ...flags]) {
      const { organization, email } = await created(fixture, type, flag)
      for (const [feature, one] of switches)
        await position(t, fixture, {
          organization,
          email,
          feature,
          runs: one.flag !== flag || flag === undefined,
        })
      const left = switches.find(([, one]) => one.flag === flag && flag !== undefined)
      if (left === undefined) continue
      const [feature] = left
      await asRoot({ client: fixture.client, acme: organization }).submit("SET_ORGANIZATION_FEATURE", {
        name: feature,
        value: "",
      })
      await position(t, fixture, { organization, email, feature, runs: true })
    }
  })
}

/** A sub-organization by one version of its activity, with one flag. */
async function created({ client, acme }: Fixture, type: string, flag: string | undefined) {
  const key = newKey()
  const email = nextAddress()
  const version = `v${/_V([4-8])$/.exec(type)?.[1]}` as "v8"
  const parameters = subOrganization([{ name: "root", key }], { version, ...(flag && { [flag]: true }) })
  const rootUsers = parameters.rootUsers.map((user) => ({ ...user, userEmail: email }))
  const { result } = await client.submit(acme.root, type, acme.organizationId, { ...parameters, rootUsers })
  const { subOrganizationId, rootUserIds } = (result?.result.value ?? {}) as {
    subOrganizationId: string
    rootUserIds: string[]
  }
  const organization = { organizationId: subOrganizationId, root: key, rootUserId: rootUserIds[0] ?? "" }
  return { organization, email }
}
