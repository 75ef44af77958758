/** A setting has a value that cannot be meant; the message names it and the way out. */
export class ConfigurationError extends Error {
  constructor(setting: string, fault: string) {
    super(`${setting} ${fault}`);
    this.name = 'ConfigurationError';
  }
}
