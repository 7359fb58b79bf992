import { emailTemplate, ipAllowlist, oauth2Credential, onRampCredential } from "./file-access.ts"
import {
  apiKey,
  authenticator,
  contractInterface,
  mfaPolicy,
  oauthProvider,
  type OrganizationFile,
  policy,
  sessionProfile,
  subscription,
  user,
  velocityControl,
  VERSION,
  webhookEndpoint,
} from "./file.ts"
import { CURVES, type LiveMfaPolicy, type LiveOrganization, type LiveUser } from "./live.ts"
import { contract, type Names, namesOfLive, namesOfUser } from "./references.ts"

type Members = { readonly [member: string]: unknown }

/** The organization as a file: every section, resources by name. */
export function fileOf(live: LiveOrganization): Members {
  const names = namesOfLive(live)
  const nameOf = (id: string) => names.referenceTo(id)?.replace(/^@[a-z-]+:/, "") ?? id
  return {
    version: VERSION,
    organizationName: live.name,
    userTags: live.tags.filter(({ tagType }) => tagType === "TAG_TYPE_USER").map(({ tagName }) => tagName),
    users: live.users.map((one) => userOf(one, live, nameOf)),
    privateKeyTags: live.tags
      .filter(({ tagType }) => tagType === "TAG_TYPE_PRIVATE_KEY")
      .map(({ tagId, tagName: privateKeyTagName }) => ({
        privateKeyTagName,
        privateKeys: live.privateKeys
          .filter(({ privateKeyTags }) => privateKeyTags.includes(tagId))
          .map(({ privateKeyId }) => nameOf(privateKeyId)),
      })),
    sessionProfiles: live.sessionProfiles.map((one) =>
      filled(sessionProfile, { ...one, scope: contract(one.scope, names) }),
    ),
    velocityControls: live.velocityControls.map((one) => picked(velocityControl, one)),
    smartContractInterfaces: live.interfaces.map((one) => filled(contractInterface, one)),
    policies: live.policies.map((one) =>
      filled(policy, {
        ...one,
        consensus: contract(one.consensus, names),
        condition: contract(one.condition, names),
        time: contract(one.time ?? "", names),
      }),
    ),
    webhookEndpoints: live.webhookEndpoints.map((one) =>
      picked(webhookEndpoint, {
        ...one,
        subscriptions: one.subscriptions.map((each) => picked(subscription, each)),
      }),
    ),
    features: Object.fromEntries(
      live.features
        .toSorted((a, b) => a.name.localeCompare(b.name, "en"))
        .map(({ name, value }) => [name, value === "true" ? true : value]),
    ),
    emailTemplates: live.emailTemplates.map((one) => filled(emailTemplate, one)),
    oauth2Credentials: live.oauth2Credentials.map((one) => picked(oauth2Credential, one)),
    fiatOnRampCredentials: live.fiatOnRampCredentials.map((one) =>
      filled(onRampCredential, { sandboxMode: false, ...one }),
    ),
    authProxy: live.proxy.enabled
      ? { enabled: true, settings: settingsOf(live.proxy.settings, names) }
      : { enabled: false },
    ipAllowlists: live.ipAllowlists.map((one) =>
      filled(ipAllowlist, { ...one, rules: one.rules.map(({ cidr, label }) => present({ cidr, label })) }),
    ),
    rootQuorum: {
      threshold: live.rootQuorum.threshold,
      users: live.rootQuorum.userIds.map(nameOf),
    },
  } satisfies { [Section in keyof OrganizationFile]: unknown }
}

function userOf(found: LiveUser, live: LiveOrganization, nameOf: (id: string) => string): Members {
  const names = namesOfUser(live, found)
  return filled(user, {
    ...found,
    userTags: some(found.userTags.map(nameOf)),
    apiKeys: some(
      found.apiKeys.map(({ credential, ...key }) =>
        filled(apiKey, { ...key, publicKey: credential.publicKey, curveType: CURVES.get(credential.type) }),
      ),
    ),
    authenticators: some(
      found.authenticators.map(({ credential, ...one }) =>
        picked(authenticator, { ...one, publicKey: credential.publicKey }),
      ),
    ),
    oauthProviders: some(found.oauthProviders.map((one) => picked(oauthProvider, one))),
    mfaPolicies: some(found.mfaPolicies.map((one) => mfaPolicyOf(one, names))),
  })
}

function mfaPolicyOf(found: LiveMfaPolicy, names: Names): Members {
  const steps = found.requiredAuthenticationMethods.map(({ any }) => ({
    any: any.map(({ type, id }) => present({ type, id: id && (names.referenceTo(id) ?? id) })),
  }))
  const condition = contract(found.condition, names)
  return filled(mfaPolicy, { ...found, condition, requiredAuthenticationMethods: steps })
}

/** The members of a form that an object has, in the order of the form. */
function picked(form: { readonly shape: object }, from: object): Members {
  const members = Object.keys(form.shape).map((name) => [name, (from as Members)[name]] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

/** The picked members that are not empty. */
function filled(form: { readonly shape: object }, from: object): Members {
  return present(picked(form, from))
}

/** Ids of templates become references. */
function settingsOf(settings: Members, names: Names): Members {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      if (typeof value === "string" && /templateId$/i.test(name))
        return [name, names.referenceTo(value) ?? value]
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
      return [name, isObject ? settingsOf(value as Members, names) : value]
    }),
  )
}

/** The members that are neither absent nor empty. */
function present(members: Members): Members {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== ""),
  )
}

function some<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list
}
