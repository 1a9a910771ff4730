import { BlockList, isIPv6 } from 'node:net'

/** IANA's special-purpose registries: nothing of the open internet answers there, and much of ours may. */
const specialV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]

/** Inside 2000::/3, which is all that is allowed of IPv6: tunnels that carry an IPv4 address, documentation, benchmarks. */
const specialV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20', '5f00::/16']

const makeList = (ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits = ''] = range.split('/')
    list.addSubnet(network, Number(bits), family)
  }
  return list
}

const blockedV4 = makeList(specialV4, 'ipv4')
const allowedV6 = makeList(['2000::/3'], 'ipv6')
const blockedV6 = makeList(specialV6, 'ipv6')

/** Whether an IP address is one of the open internet. IPv4 inside IPv6 is refused in every spelling. */
export const isPublicAddress = (address: string): boolean =>
  isIPv6(address)
    ? allowedV6.check(address, 'ipv6') && !blockedV6.check(address, 'ipv6')
    : !blockedV4.check(address, 'ipv4')
