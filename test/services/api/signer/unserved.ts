/** A call that a stand-in for a signer or fetcher does not answer. */
export const unserved = () => Promise.reject(new Error("not part of this test"))

/** The signer's calls beside orders and pins. */
export const unservedCalls = {
  recover: unserved,
  readArchive: unserved,
  readSession: unserved,
  readGasUsage: unserved,
  orderOnRampStatus: unserved,
  signWebhooks: unserved,
  getAuthProxyConfiguration: unserved,
  verifyAttestation: unserved,
  verifyIdToken: unserved,
  expireActivities: unserved,
  listOrganizations: unserved,
  getOrganizationHead: unserved,
  getBootProof: unserved,
  probe: unserved,
  readLog: unserved,
  readLogTile: unserved,
  readLogConsistency: unserved,
  showCheckpoint: unserved,
  readMetrics: unserved,
}
