export const usage = `Usage: countersign-signer <command>

  install                  make the user, folder, settings file and unit of the signer on this host, as root, from an unpacked release
      --root DIR           the same below DIR, for an image of a host
  init                     create a deployment, its root seed and its ledger, and print its public identity
  ceremony                 seal the root seed, a new one or that of a plain file, and hand out shares of its key
      --shares N           number of shares, one for each holder, 2 to 15
      --threshold N        number of shares that open the seed, and of holders who approve an act
      --holder KEY         public key of a holder, for each share in their order: 66 digits, or a file of holder key
      --approve-setup-codes  holders approve setup codes too
      --passphrase         also seal it with a passphrase, for daily unlocking
      --command            also seal it with the command of the settings, such as systemd-creds or a client of a key store
      --sheets FOLDER      write each holder's sheet to this folder in memory until it was printed
      --fetcher-seed FILE  seal the fetcher's seed too, a new one or that of a plain file: one more line on each sheet
      --auth-proxy-key FILE  the same for the auth proxy's key
      --authority          the same for the key of the certificate authority, which shares alone open then
  change-shares            give a sealed seed a new set of shares, with the options of ceremony; the old set holds until its end
  change-holders           enroll the holders who approve acts, all of them or one (--holder 2=KEY), by shares
  change-daily             replace the daily ways of a sealed seed by --passphrase, --command, both or none, by shares
  change-witnesses         have the sealed seed name the witnesses of the settings, which no setting alone replaces then, by shares
  leave-production         let the processes of a sealed deployment start without COUNTERSIGN_PRODUCTION, by shares
      --by WAY             open the sealed file by passphrase or command in the place of shares; holders then approve the act
  accept-seal              have the signer take an earlier sealed file for the newest one, which is lost, by shares
  serve                    run the signer
      --print-config       print the settings, as config does, and start nothing
  setup-code --for KEY     print a one-use code with which KEY creates a top-level organization
      --expires SECONDS    how long the code is valid (default: one day)
  unlock                   give shares to a signer whose seed is sealed, until they open it
      --passphrase         give the passphrase instead
      --command            have the command of the settings give the key instead
  lock                     have the signer forget its keys until it is unlocked again
  status                   print the signer's phase, and why; exit status 3 unless it is ready
  accept-clock             accept this host's clock although it contradicts the ledger
  accept-ledger            accept a ledger that is older than signed state: what is newer is lost
      --restored           say that the ledger is an older copy, before newer state is shown; nothing is decided for 65 minutes
  approve prepare ACT      print the text of an act for holders to approve: accept-clock, accept-ledger, setup-code, change-shares,
                           change-witnesses, export-authority or leave-production, with the options of the act
      --within SECONDS     time for the approvals (default: four hours)
  ACT --approvals FILE     do the act with the approvals of holders; the option is repeated for each file
  holder key FILE          on a holder's machine: make a key for approvals, and print its public key
      --plain              without a passphrase
  holder passkey FILE      on a holder's machine: make a passkey for approvals on a page of this machine, and print its public key
  holder sign TEXT         on a holder's machine: show the text of an act, sign it, and print the approval
      --key FILE           key of holder key
      --passkey FILE       file of holder passkey, or its public key: the text is shown on a page of this machine
      --signature FILE --for KEY   signature in DER that a card or another program made of the text
      --assertion FILE --for KEY   answer of a passkey to the challenge SHA-256 of the text, in JSON
  pins                     print this deployment's public identity, and its digest
  pair                     print what this signer is paired with, as words to compare on both hosts
      --fetcher KEY        print the settings that pair signer and fetcher; KEY: countersign-fetcher public-key
      --auth-proxy KEY     the same for an auth proxy
  pair NAME --join LINE    issue the certificate that NAME asks for, api or fetcher, and print the answer
      --words WORDS        words that the host of NAME shows; without them the command asks
  certificate HOST:PORT    make the signer's own certificate for mutual TLS, and print its settings
      --renew              make the next one although there is one
  revoke NAME              revoke the certificates of NAME, for good, and write the list that each host reads
      --serial NUMBER      only the certificate with this serial number
  export-authority FILE    write the sealed key of the certificate authority to FILE, in clear, by shares and with approvals
  ledger show [ID]         print the ledger's figures, and its version of the organization with this id
  audit                    print, verify, export and send the audit stream: audit --help
  backup                   make, verify and restore backups: backup --help
  erase ID                 remove the name of a deleted sub-organization from the ledger
  config                   print every setting with its value and where it came from
  doctor                   check settings, root seed, pairing and the running signer
      --confinement        try what an intruder would, in the confinement of this command: all of it should be refused
  help                     print this
  --version                print the version

  --json                   print the result on one line
  --wait SECONDS           wait until the signer answers (default: 0)

Examples:
  countersign-signer init
  countersign-signer ceremony --shares 5 --threshold 3
  countersign-signer unlock
  countersign-signer status --wait 30
  countersign-signer approve prepare accept-ledger
  countersign-signer holder sign act.txt --passkey holder.passkey
  countersign-signer accept-ledger --approvals approval-2.json --approvals approval-3.json
  countersign-signer setup-code --for 02f739f8... --expires 3600
  countersign-signer pins --json
  countersign-signer pair --auth-proxy 02f739f8...
  countersign-signer certificate signer.internal:7443
  countersign-signer pair api --join countersign-join-request.Cg...
  countersign-signer ledger show 0199b2c4-7a10-7000-8000-3f6d5c2b1a09
  countersign-signer erase 0199b2c4-7a10-7000-8000-3f6d5c2b1a09
  countersign-signer config

setup-code, unlock, lock, status, accept-clock, accept-ledger, approve prepare of these acts, pins, pair, ledger and erase ask the running
signer through the operator's socket: COUNTERSIGN_SIGNER_OPERATOR_SOCKET, or operator/operator.sock in COUNTERSIGN_DATA_DIR. install, init,
ceremony, change-shares, change-holders, change-daily, change-witnesses, leave-production, accept-seal, export-authority, holder, config, doctor, certificate,
revoke and pair --join need no running signer. Exit status: 0 done, 1 fault, 2 usage, 3 refused, 5 unreachable or locked`
