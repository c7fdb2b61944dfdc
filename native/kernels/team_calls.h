// The team as kernels see it: out of line, so that no code of a kernel's instruction set serves others.
#pragma once

namespace svc {

class Team;
void team_barrier(Team & team);
int team_size(const Team & team);

} // namespace svc
