/** A setting of LibreOffice: where it is, its name and its value. */
type Item = readonly [path: string, name: string, value: string | number | boolean];

const SCRIPTING = '/org.openoffice.Office.Common/Security/Scripting';
const NETWORK = '/org.openoffice.Inet/Settings';
/** Nobody listens there. */
const NOWHERE = '127.0.0.1';

/** No macros, no other files, no network, and nothing that asks or remembers. */
const ITEMS: readonly Item[] = [
  [SCRIPTING, 'DisableMacrosExecution', true],
  [SCRIPTING, 'MacroSecurityLevel', 3],
  // Pictures and texts that lie elsewhere, on this machine too.
  [SCRIPTING, 'BlockUntrustedRefererLinks', true],
  ['/org.openoffice.Office.Writer/Content/Update', 'Link', 0],
  ['/org.openoffice.Office.Calc/Content/Update', 'Link', 1],
  [NETWORK, 'ooInetProxyType', 1],
  [NETWORK, 'ooInetHTTPProxyName', NOWHERE],
  [NETWORK, 'ooInetHTTPProxyPort', 9],
  [NETWORK, 'ooInetHTTPSProxyName', NOWHERE],
  [NETWORK, 'ooInetHTTPSProxyPort', 9],
  ['/org.openoffice.Office.Java/VirtualMachine', 'Enable', false],
  ['/org.openoffice.Office.Recovery/AutoSave', 'Enabled', false],
  ['/org.openoffice.Office.Common/Misc', 'FirstRun', false],
];

/** The profile that every process of LibreOffice begins with. */
export const PROFILE = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<oor:items xmlns:oor="http://openoffice.org/2001/registry">',
  ...ITEMS.map(
    ([path, name, value]) =>
      `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse">` +
      `<value>${value}</value></prop></item>`,
  ),
  '</oor:items>',
].join('\n');
