import { type OrganizationFile, VERSION } from "./file.ts"
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
    users: live.users.map((user) => userOf(user, live, nameOf)),
    privateKeyTags: live.tags
      .filter(({ tagType }) => tagType === "TAG_TYPE_PRIVATE_KEY")
      .map(({ tagId, tagName: privateKeyTagName }) => ({
        privateKeyTagName,
        privateKeys: live.privateKeys
          .filter(({ privateKeyTags }) => privateKeyTags.includes(tagId))
          .map(({ privateKeyId }) => nameOf(privateKeyId)),
      })),
    sessionProfiles: live.sessionProfiles.map(({ sessionProfileName, scope, expirationSeconds, notes }) =>
      present({ sessionProfileName, scope: contract(scope, names), expirationSeconds, notes }),
    ),
    velocityControls: live.velocityControls.map(({ name, identifier, dataSource, aggregation }) => ({
      name,
      identifier,
      dataSource,
      aggregation,
    })),
    smartContractInterfaces: live.interfaces.map((one) =>
      present({
        label: one.label,
        smartContractAddress: one.smartContractAddress,
        type: one.type,
        notes: one.notes,
        smartContractInterface: one.smartContractInterface,
      }),
    ),
    policies: live.policies.map(({ policyName, effect, consensus, condition, time = "", notes }) =>
      present({
        policyName,
        effect,
        consensus: contract(consensus, names),
        condition: contract(condition, names),
        time: contract(time, names),
        notes,
      }),
    ),
    webhookEndpoints: live.webhookEndpoints.map(({ name, url, isActive, subscriptions }) => ({
      name,
      url,
      isActive,
      subscriptions: subscriptions.map(({ eventType, isActive: isSent }) => ({
        eventType,
        isActive: isSent,
      })),
    })),
    features: Object.fromEntries(
      live.features
        .toSorted((a, b) => a.name.localeCompare(b.name, "en"))
        .map(({ name, value }) => [name, value === "true" ? true : value]),
    ),
    emailTemplates: live.emailTemplates.map(({ templateName, templateType, subject, text, html }) =>
      present({ templateName, templateType, subject, text, html }),
    ),
    oauth2Credentials: live.oauth2Credentials.map(({ provider, clientId }) => ({ provider, clientId })),
    fiatOnRampCredentials: live.fiatOnRampCredentials.map(
      ({ onrampProvider, projectId, publishableApiKey, sandboxMode = false }) =>
        present({ onrampProvider, projectId, publishableApiKey, sandboxMode }),
    ),
    authProxy: live.proxy.enabled
      ? { enabled: true, settings: settingsOf(live.proxy.settings, names) }
      : { enabled: false },
    ipAllowlists: live.ipAllowlists.map(({ publicKey, enabled, onEvaluationError, rules }) =>
      present({
        publicKey,
        enabled,
        onEvaluationError,
        rules: rules.map(({ cidr, label }) => present({ cidr, label })),
      }),
    ),
    rootQuorum: {
      threshold: live.rootQuorum.threshold,
      users: live.rootQuorum.userIds.map(nameOf),
    },
  } satisfies { [Section in keyof OrganizationFile]: unknown }
}

function userOf(user: LiveUser, live: LiveOrganization, nameOf: (id: string) => string): Members {
  const names = namesOfUser(live, user)
  const apiKeys = user.apiKeys.map(({ apiKeyName, credential, expirationSeconds }) =>
    present({
      apiKeyName,
      publicKey: credential.publicKey,
      curveType: CURVES.get(credential.type),
      expirationSeconds,
    }),
  )
  const authenticators = user.authenticators.map(({ authenticatorName, credentialId, credential }) => ({
    authenticatorName,
    credentialId,
    publicKey: credential.publicKey,
  }))
  const oauthProviders = user.oauthProviders.map(({ providerName, issuer, audience, subject }) => ({
    providerName,
    issuer,
    audience,
    subject,
  }))
  return present({
    userName: user.userName,
    userEmail: user.userEmail,
    userPhoneNumber: user.userPhoneNumber,
    userTags: some(user.userTags.map(nameOf)),
    apiKeys: some(apiKeys),
    authenticators: some(authenticators),
    oauthProviders: some(oauthProviders),
    mfaPolicies: some(user.mfaPolicies.map((policy) => mfaPolicyOf(policy, names))),
  })
}

function mfaPolicyOf(
  { mfaPolicyName, condition, requiredAuthenticationMethods, order, notes }: LiveMfaPolicy,
  names: Names,
): Members {
  const steps = requiredAuthenticationMethods.map(({ any }) => ({
    any: any.map(({ type, id }) => present({ type, id: id && (names.referenceTo(id) ?? id) })),
  }))
  const text = contract(condition, names)
  return present({ mfaPolicyName, condition: text, requiredAuthenticationMethods: steps, order, notes })
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

/** Without members that are absent or empty. */
function present(members: Members): Members {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== ""),
  )
}

function some<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list
}
