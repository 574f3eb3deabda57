#!/bin/sh
# socat that ends with the process that started it, also where that one is killed.
exec /usr/bin/setpriv --pdeathsig KILL /usr/bin/socat "$@"
