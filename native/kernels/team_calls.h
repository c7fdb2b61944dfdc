// The team's interface for kernels: out of line, so that code compiled for one instruction set is not used by others.
#pragma once

namespace svc {

class Team;
void team_barrier(Team & team);
int team_size(const Team & team);

} // namespace svc
